/** Written turns in which the user decides, prefers, corrects, asks or just talks. Labelled before the rules existed. */
import { edited, maybe, ran, read, used, want, write } from './_write.ts';

export const writtenTalk = [
  write(
    'queue-decision',
    {
      prompt:
        "ok I thought about it. let's go with Postgres SKIP LOCKED for the job queue instead of RabbitMQ, we already run Postgres and the volume is tiny",
      answer:
        "Sounds good. I'll sketch the `jobs` table with `run_at`, `attempts` and `locked_by`, and a worker that polls with `FOR UPDATE SKIP LOCKED`. Shall I start with the migration?",
    },
    want('decision', 'Postgres|SKIP LOCKED|RabbitMQ', 'queue'),
  ),
  write(
    'pnpm-only',
    {
      prompt:
        'why did you run npm install? always use pnpm in this repo, never npm. package-lock.json must go',
      answer: "You're right, sorry. Removed `package-lock.json` and reinstalled with pnpm.",
      tools: [ran('rm package-lock.json'), ran('pnpm install', 'Done in 9.8s')],
    },
    want('preference|pattern', 'pnpm'),
  ),
  write(
    'answer-in-german',
    {
      prompt: 'Please always answer in German from now on, even when I write English.',
      answer: 'Alles klar, ich antworte ab jetzt auf Deutsch.',
    },
    { ...want('preference', 'German'), personal: true },
  ),
  write(
    'no-mocks',
    {
      prompt:
        "no, not like that. don't mock the database in these tests, use the testcontainers setup we have in test/support",
      answer: `Understood. I rewrote the three repository tests on top of \`withPostgres()\` from \`test/support\`; they start one container per file and roll back after each test. All green.`,
      tools: [
        ...read('test/support/postgres.ts'),
        ...edited('src/users/repo.test.ts', 'src/orders/repo.test.ts'),
        ran('pnpm test repo', '18 passed'),
      ],
    },
    want('preference|dead_end|pattern', 'mock|testcontainers'),
    maybe('refactor|feature|bugfix', 'test|withPostgres|container'),
  ),
  write(
    'stop-comments',
    {
      prompt: 'stop adding a comment to every line. only comment what is surprising',
      answer: 'Got it, removed the noise from the last change.',
      tools: [...edited('src/parse.rs')],
    },
    want('preference', 'comment'),
  ),
  write(
    'refresh-rotation',
    {
      prompt: 'how should we handle refresh tokens? do what you think is best and implement it',
      answer: `I went with rotation on every use: each refresh token is single-use and stored hashed, and reuse of an old one revokes the whole family. I chose this over long-lived tokens because a stolen token is then noticed at the next refresh.

Implemented in \`auth/tokens.go\` with a migration for \`token_family\`; tests cover reuse and concurrent refresh.`,
      tools: [
        ...edited('auth/tokens.go', 'auth/tokens_test.go', 'migrations/0031_token_family.sql'),
        ran('go test ./auth/...', 'ok  	shop/auth	1.204s'),
      ],
    },
    want('decision', 'rotat|refresh token|single-use'),
    maybe('feature', 'token|rotat|auth'),
  ),
  write(
    'webhook-question',
    {
      prompt: 'where do we verify the stripe signature? I only see the handler',
      answer: `It's verified in \`middleware/stripe.ts\`, which is mounted before \`express.json()\` on purpose: the signature is computed over the raw body, and once the JSON parser has run the raw bytes are gone. The handler relies on \`req.stripeEvent\` being set there.`,
      tools: [used('Grep', 'constructEvent'), ...read('middleware/stripe.ts', 'app.ts')],
    },
    want('discovery|pattern', 'signature|stripe|raw body'),
  ),
  write('thanks', {
    prompt: 'great, thanks!',
    answer: "You're welcome! Let me know if anything else comes up.",
  }),
  write('put-patch', {
    prompt: "what's the difference between PUT and PATCH again?",
    answer:
      'PUT replaces the whole resource, so fields you leave out are removed or reset; it is idempotent. PATCH changes only the fields you send and is not necessarily idempotent. For partial updates from a form you usually want PATCH.',
  }),
  write('status-check', {
    prompt: 'git status?',
    answer: 'The working tree is clean; `main` is two commits ahead of `origin/main`.',
    tools: [ran('git status -sb', '## main...origin/main [ahead 2]')],
  }),
  write('rebase-push', {
    prompt: 'rebase on main and push',
    answer: 'Rebased onto `main` without conflicts and pushed with `--force-with-lease`.',
    tools: [
      ran('git fetch origin'),
      ran('git rebase origin/main', 'Successfully rebased and updated refs/heads/feature.'),
      ran('git push --force-with-lease', '+ 12ab34c...98fe76d feature -> feature (forced update)'),
    ],
  }),
  write('format-only', {
    prompt: 'run the formatter',
    answer: 'Ran `prettier --write .`; 12 files were reformatted, no other changes.',
    tools: [ran('npx prettier --write .', '12 files changed')],
  }),
  write('explain-function', {
    prompt: 'explain what normalizeRange does',
    answer: `\`normalizeRange(a, b)\` takes two positions and returns them in order:

1. if either is missing, it returns \`null\`
2. if \`a\` comes after \`b\`, it swaps them
3. otherwise it returns them unchanged

It's called from the selection code, where the user may drag backwards.`,
    tools: [...read('src/editor/range.ts')],
  }),
  write(
    'staging-port',
    {
      prompt: 'fyi the staging database listens on port 5433, not 5432. that is why the script fails',
      answer: 'Thanks, that explains it. I set the port in `scripts/sync-staging.sh` and it connects now.',
      tools: [...edited('scripts/sync-staging.sh'), ran('./scripts/sync-staging.sh --dry-run', 'connected')],
    },
    want('discovery|preference|decision|pattern|bugfix|dead_end', '5433|staging'),
    maybe('bugfix', 'port|sync-staging|connect'),
  ),
  write(
    'deploy-tuesdays',
    {
      prompt:
        'Remember that we only deploy to production on Tuesdays, so do not put a release date on other days.',
      answer: 'Noted. I moved the planned date in the release notes to Tuesday the 17th.',
      tools: [...edited('docs/releases.md')],
    },
    want('preference|pattern|decision', 'Tuesday|deploy'),
  ),
  write(
    'call-me',
    { prompt: 'Call me Captain from now on :)', answer: 'Aye, Captain!' },
    { ...want('preference', 'Captain'), personal: true },
  ),
  write(
    'prefer-small-commits',
    {
      prompt: 'I prefer small commits with a body that says why. please redo the last one like that',
      answer: 'Done: I split it into three commits, each with a short body explaining the reason.',
      tools: [
        ran('git reset --soft HEAD~1'),
        ran('git commit -m "feat: parse ranges"', '[x aa11bb2] feat: parse ranges'),
      ],
    },
    { ...want('preference', 'commit'), personal: true },
  ),
  write(
    'rate-limit-correction',
    {
      prompt: "that's wrong: the partner API allows 250 requests per minute, not 100. raise the limiter",
      answer: 'Corrected: the limiter in `partner/client.py` now allows 250 requests per minute.',
      tools: [...edited('partner/client.py')],
    },
    want('discovery|preference|decision|dead_end|pattern|bugfix', '250|per minute|limit'),
    maybe('bugfix|feature', 'limiter|250'),
  ),
  write(
    'library-comparison',
    {
      prompt: 'which date library should we take for the new app?',
      answer: `Three candidates:

- **date-fns**: small when tree-shaken, plain functions
- **Luxon**: good time zones, bigger
- **Temporal polyfill**: the future standard, but 20 kB today

I'd recommend date-fns here since you don't do time zone arithmetic. Want me to add it?`,
      tools: [used('WebSearch', 'date library bundle size comparison')],
    },
    maybe('decision|discovery|issue', 'date-fns|library'),
  ),
  write(
    'monorepo-layout',
    {
      prompt:
        'We decided in the meeting that the mobile app moves into the monorepo under apps/mobile; the design tokens become a package of their own. Please write that down in docs/structure.md and prepare the folders.',
      answer: `Done. \`docs/structure.md\` describes the new layout, \`apps/mobile\` and \`packages/tokens\` exist with a README each, and the workspace globs include both.`,
      tools: [
        ...edited('docs/structure.md', 'pnpm-workspace.yaml'),
        ran('mkdir -p apps/mobile packages/tokens'),
      ],
    },
    want('decision', 'monorepo|apps/mobile|tokens'),
    maybe('feature', 'structure|layout|tokens|workspace'),
  ),
  write('yes-go', {
    prompt: 'yes go ahead',
    answer: 'Starting with the first file now.',
    tools: [used('TodoWrite')],
  }),
  write('todo-only', {
    prompt: 'make a plan for the migration',
    answer: "I've written the plan as a todo list with six steps. Tell me when to begin.",
    tools: [used('TodoWrite'), used('TodoWrite')],
  }),
  write(
    'keep-going',
    {
      prompt: 'continue',
      answer: 'Three of the eight screens are converted. Moving on to `SettingsScreen` next.',
      tools: [...edited('screens/Home.tsx', 'screens/Cart.tsx')],
    },
    maybe('refactor|feature|issue', 'screen|convert'),
  ),
  write('where-is', {
    prompt: 'which port does the dev server use?',
    answer: 'It runs on port 5173 (the default).',
    tools: [...read('vite.config.ts')],
  }),
  write(
    'no-orm-in-handlers',
    {
      prompt:
        'Looks ok but handlers must not touch the ORM directly, everything goes through the repositories. Fix that in the two new handlers.',
      answer:
        'Both handlers now go through `AccountRepository`; I added the two missing finder methods there.',
      tools: [
        ...edited('api/handlers/accounts.kt', 'data/AccountRepository.kt'),
        ran('./gradlew test', 'BUILD SUCCESSFUL'),
      ],
    },
    want('preference|pattern|decision|dead_end', 'handlers?|ORM|repositor'),
    maybe('refactor', 'handler|AccountRepository|repositor'),
  ),
];
