/** Written turns in which something was built, fixed, found or given up. Labelled before the rules existed. */
import { edited, failed, maybe, ran, read, used, want, write, wrote } from './_write.ts';

export const writtenWork = [
  write(
    'python-timezone',
    {
      prompt:
        'test_invoice_due fails since this morning, but only on my machine and in the nightly job. can you look?',
      answer: `I'll start by running the failing test.

The failure is a comparison between a naive and an aware datetime. Let me look at where \`due_at\` is computed.

Found it. \`Invoice.due_at\` uses \`datetime.now()\` without a time zone while the database returns aware values, so the comparison raises as soon as the local zone is not UTC.

I changed \`due_at\` to \`timezone.now()\` and the test now passes, together with the rest of the billing suite.`,
      tools: [
        failed(
          'pytest billing/tests/test_invoice.py -q',
          "TypeError: can't compare offset-naive and offset-aware datetimes",
        ),
        ...read('billing/models.py'),
        ...edited('billing/models.py'),
        ran('pytest billing/tests/test_invoice.py -q', '14 passed in 2.31s'),
        ran('pytest billing -q', '88 passed in 11.02s'),
      ],
    },
    { ...want('bugfix', 'due_at|naive|time ?zone|aware|timezone\\.now'), files: ['billing/models.py'] },
    maybe('discovery', 'naive|time ?zone'),
  ),
  write(
    'rust-deadlock',
    {
      prompt: 'The worker hangs after ~1000 jobs. Find out why and fix it.',
      answer: `Let me reproduce it first.

It hangs reliably at 1024 jobs. That's the capacity of the channel. Looking at \`dispatch.rs\`: the dispatcher holds the \`queue\` mutex across \`tx.send().await\`, and the worker needs the same mutex to acknowledge. Once the channel is full both wait for each other: a classic deadlock.

Fix: clone the job out of the queue and drop the guard before awaiting the send.

Verified with 50,000 jobs, no hang; clippy is clean too.`,
      tools: [
        failed('timeout 20 cargo test --test soak', 'test soak_1k ... FAILED', 'timed out'),
        ...read('src/dispatch.rs', 'src/worker.rs'),
        ...edited('src/dispatch.rs'),
        ran('timeout 60 cargo test --test soak', 'test result: ok. 3 passed; 0 failed'),
        ran('cargo clippy -- -D warnings'),
      ],
    },
    { ...want('bugfix', 'deadlock|mutex|guard|hang'), files: ['src/dispatch.rs'] },
    maybe('discovery', 'deadlock|mutex|capacity'),
  ),
  write(
    'react-stale-closure',
    {
      prompt: 'autosave sends the old draft text, look at useAutosave',
      answer: `The interval callback in \`useAutosave\` closes over the first \`draft\`, because the effect's dependency list is empty. Every save therefore sends the text from mount time.

I keep the latest draft in a ref and read it inside the callback, so the timer isn't restarted on every keystroke. Added a test that types twice and checks the second payload.`,
      tools: [
        ...read('src/hooks/useAutosave.ts'),
        ...wrote('src/hooks/useAutosave.test.tsx'),
        failed('pnpm vitest run src/hooks', 'AssertionError: expected "a" to equal "ab"'),
        ...edited('src/hooks/useAutosave.ts'),
        ran('pnpm vitest run src/hooks', 'Tests  9 passed (9)'),
        ran(
          'git commit -am "fix(editor): autosave sends the latest draft"',
          '[main 4be91d2] fix(editor): autosave sends the latest draft\n 2 files changed',
        ),
      ],
    },
    { ...want('bugfix', 'autosave|draft|closure'), files: ['src/hooks/useAutosave.ts'] },
  ),
  write(
    'vite-dead-end',
    {
      prompt: 'upgrade vite to the next major please',
      answer: `I bumped vite and ran the build. The \`svg-sprite\` plugin fails: it still calls the removed \`transformIndexHtml\` signature and has no release for the new major. I tried patching it with \`pnpm patch\`, but then the dev server crashes on HMR.

I've reverted the upgrade. It isn't worth doing until the plugin supports it or we drop the sprite; nothing changed in the working tree.`,
      tools: [
        ran('pnpm up vite@latest'),
        failed('pnpm build', '[svg-sprite] TypeError: ctx.server is undefined'),
        failed('pnpm dev --smoke', 'Error: HMR payload rejected'),
        ran('git checkout package.json pnpm-lock.yaml'),
      ],
    },
    want('dead_end|issue', 'vite|svg-sprite'),
    maybe('issue', 'vite|plugin'),
  ),
  write(
    'flaky-open',
    {
      prompt: 'why is checkout.spec flaky?',
      answer: `I ran it 30 times; it failed 4 times, always on "applies voucher". The test waits for the price with a fixed 200 ms timeout, but the pricing service debounces for 250 ms, so it's a race between the two.

I haven't changed anything yet. The proper fix is to wait for the \`price-updated\` event instead of the timeout, which needs a small hook in \`PriceBox\`. Still open.`,
      tools: [
        failed('npx playwright test checkout.spec --repeat-each 30', '4 failed', '26 passed'),
        ...read('e2e/checkout.spec.ts', 'src/PriceBox.tsx'),
      ],
    },
    want('issue|discovery', 'flak|voucher|race|timeout|debounce|checkout'),
    maybe('issue|discovery', 'price-updated|event|debounce|race'),
  ),
  write(
    'split-big-file',
    {
      prompt:
        'reports.py is 1400 lines. split it by report type, no behaviour change, keep the import path working',
      answer: `I'll look at the structure first.

Moving the pieces now.

Splitting done: \`reports.py\` became a package \`reports/\` with \`sales.py\`, \`stock.py\`, \`tax.py\` and \`_common.py\`; \`reports/__init__.py\` re-exports the old names so existing imports keep working. No behaviour change: the full suite passes and coverage is the same (87%).`,
      tools: [
        ...read('app/reports.py'),
        ...wrote(
          'app/reports/__init__.py',
          'app/reports/sales.py',
          'app/reports/stock.py',
          'app/reports/tax.py',
          'app/reports/_common.py',
        ),
        ran('git rm app/reports.py'),
        ran('pytest -q', '412 passed in 61.20s'),
        ran(
          'git commit -m "refactor(reports): one module per report type"',
          '[split-reports 91ac0de] refactor(reports): one module per report type',
        ),
      ],
    },
    want('refactor', 'reports|split|module'),
  ),
  write(
    'csv-export-pr',
    {
      prompt:
        'Add a CSV export to the orders page. Same columns as the table, stream it, open a PR when done',
      answer: `I'll check how the table gets its columns.

Now the endpoint.

Done. \`GET /orders.csv\` streams the export row by row with the same columns as the table (both now read \`ORDER_COLUMNS\`), and the page has an "Export" button. Tests cover quoting and an empty list. PR: https://github.com/acme/shop/pull/482`,
      tools: [
        ...read('server/routes/orders.ts', 'web/pages/Orders.tsx'),
        ...wrote('server/routes/orders-csv.ts', 'server/routes/orders-csv.test.ts'),
        ...edited('web/pages/Orders.tsx', 'shared/columns.ts'),
        ran('npm test -- orders', 'Tests: 21 passed, 21 total'),
        ran(
          'git commit -am "feat(orders): CSV export"',
          '[orders-csv 7d0e1f2] feat(orders): CSV export\n 4 files changed',
        ),
        ran('gh pr create --fill', 'https://github.com/acme/shop/pull/482'),
      ],
    },
    { ...want('feature', 'CSV|export'), files: ['server/routes/orders-csv.ts'] },
  ),
  write(
    'terraform-import',
    {
      prompt: 'terraform apply says the bucket already exists. We made it by hand last year.',
      answer: `The bucket \`acme-logs\` exists in the account but not in the state, so Terraform tries to create it. I imported it with \`terraform import aws_s3_bucket.logs acme-logs\`; the plan now shows no changes except the missing lifecycle rule, which I left for you to apply.`,
      tools: [
        failed('terraform apply -auto-approve', 'Error: creating S3 Bucket (acme-logs): BucketAlreadyExists'),
        ran('terraform import aws_s3_bucket.logs acme-logs', 'Import successful!'),
        ran('terraform plan', 'Plan: 1 to add, 0 to change, 0 to destroy.'),
      ],
    },
    want('bugfix|discovery', 'bucket|terraform|import|state'),
    maybe('issue', 'lifecycle'),
  ),
  write(
    'k8s-oom',
    {
      prompt: 'search pods keep restarting in staging, pls check',
      answer: `Let me look at the events.

The pods are OOMKilled: exit code 137 every 20 to 30 minutes. The JVM runs with \`-Xmx2g\` while the container limit is 2Gi, so there is no room for metaspace and direct buffers.

I replaced the fixed heap by \`-XX:MaxRAMPercentage=70\` in the chart's values and rolled it out to staging. No restarts in the last hour of the soak.`,
      tools: [
        ran(
          'kubectl -n staging describe pod search-0',
          'Last State: Terminated\n Reason: OOMKilled\n Exit Code: 137',
        ),
        ...edited('charts/search/values.yaml'),
        ran('helm upgrade search charts/search -n staging', 'Release "search" has been upgraded.'),
      ],
    },
    {
      ...want('bugfix|discovery', 'OOM|heap|Xmx|MaxRAMPercentage|restart'),
      files: ['charts/search/values.yaml'],
    },
    maybe('discovery|decision', 'OOM|heap|MaxRAMPercentage'),
  ),
  write(
    'n-plus-one',
    {
      prompt: 'GET /api/projects takes 4 seconds for big orgs. make it fast',
      answer: `Profiling first.

It's an N+1: the serializer asks for \`members\` and \`last_activity\` per project, 2 × 640 queries for the big org. I added \`includes(:members)\` and moved \`last_activity\` into a subquery. From 4.2 s to 180 ms locally, 3 queries in total.

I considered caching the whole response, but invalidation on membership changes gets ugly, so I left that out.`,
      tools: [
        ran('bin/rails runner script/profile_projects.rb', '1283 queries, 4210 ms'),
        ...edited('app/serializers/project_serializer.rb', 'app/controllers/api/projects_controller.rb'),
        ran('bin/rspec spec/requests/api/projects_spec.rb', '17 examples, 0 failures'),
        ran('bin/rails runner script/profile_projects.rb', '3 queries, 182 ms'),
      ],
    },
    want('bugfix|refactor|feature|discovery', 'N\\+1|projects|quer'),
    maybe('dead_end|decision', 'cach'),
  ),
  write(
    'phoenix-feature',
    {
      prompt: 'show a presence list in the room view',
      answer: `Added a presence list to the room view: \`RoomLive\` tracks users with \`Presence.track/4\` on mount and renders avatars from \`presence_diff\`. It hides itself when you're alone in the room.`,
      tools: [
        ...read('lib/chat_web/live/room_live.ex'),
        ...edited('lib/chat_web/live/room_live.ex', 'lib/chat_web/live/room_live.html.heex'),
        ...wrote('lib/chat_web/presence.ex'),
        ran('mix compile --warnings-as-errors'),
      ],
    },
    { ...want('feature', 'presence'), files: ['lib/chat_web/presence.ex'] },
  ),
  write(
    'gradle-toolchain',
    {
      prompt: './gradlew build broke after the CI image update',
      answer: `CI now ships JDK 25, and our Kotlin plugin can't target it ("Unknown Kotlin JVM target: 25"). I pinned the toolchain to 21 in \`build.gradle.kts\` so that the build no longer depends on whatever JDK the image has. Build passes locally with both 21 and 25 installed.`,
      tools: [
        failed('./gradlew build', 'Unknown Kotlin JVM target: 25', 'BUILD FAILED in 12s'),
        ...edited('build.gradle.kts'),
        ran('./gradlew build', 'BUILD SUCCESSFUL in 1m 4s'),
      ],
    },
    { ...want('bugfix|decision', 'toolchain|JDK|gradle'), files: ['build.gradle.kts'] },
    maybe('decision', 'toolchain|JDK|pinned'),
  ),
  write(
    'swift-unverified',
    {
      prompt: 'crash log attached: index out of range in FeedViewModel when pulling to refresh',
      answer: `The crash comes from \`FeedViewModel.item(at:)\`: the table still asks for rows of the old snapshot while \`reload()\` has already emptied \`items\`. I now swap the array in one step on the main actor instead of clearing it first.

I couldn't run it on a device here, so please verify with a slow network before release.`,
      tools: [...read('Feed/FeedViewModel.swift'), ...edited('Feed/FeedViewModel.swift')],
    },
    { ...want('bugfix', 'FeedViewModel|crash|snapshot|items|refresh'), files: ['Feed/FeedViewModel.swift'] },
    maybe('issue', 'verif|device|network'),
  ),
  write(
    'outbox-next',
    {
      prompt: 'implement phase 1 of docs/outbox.md',
      answer: `Phase 1 is in: events are written to the \`outbox\` table in the same transaction as the order, and \`OutboxRelay\` publishes them in batches of 100.

All 36 tests pass.

Next steps:
- wire the retry queue (phase 2)
- the dead-letter topic does not exist yet in any environment, somebody has to create it before we deploy`,
      tools: [
        ...read('docs/outbox.md'),
        ...wrote('src/main/java/shop/outbox/OutboxRelay.java', 'src/main/resources/db/V12__outbox.sql'),
        ...edited('src/main/java/shop/order/OrderService.java'),
        ran('mvn -q test -Dtest=Outbox*', 'Tests run: 36, Failures: 0'),
      ],
    },
    want('feature', 'outbox'),
    want('issue', 'dead-letter|retry queue|phase 2|next step'),
    maybe('issue', 'dead-letter|retry'),
  ),
  write(
    'linker-attempts',
    {
      prompt: 'release binary is 92 MB, get it under 40 without losing the stack traces',
      answer: `Starting point 92 MB.

Attempt 1: \`-flto\` with gcc. It links, but drops the unwind tables of the plugin host, so stack traces are empty. Not acceptable.

Attempt 2: UPX. Works, but the scanner on the build machines flags it. Dropped.

Attempt 3: \`--gc-sections\` plus split debug info (\`-gsplit-dwarf\`, \`objcopy --only-keep-debug\`). 37 MB, and traces resolve through the .debug file. This is what I kept in \`CMakeLists.txt\`.`,
      tools: [
        failed('cmake --build build && ./ci/check-trace.sh', 'FAIL: no symbols in trace'),
        ...edited('CMakeLists.txt'),
        ran('cmake --build build && ./ci/check-trace.sh', 'trace ok'),
        ran('ls -la build/app', '37M'),
      ],
    },
    want('feature|bugfix|decision|refactor', 'MB|gc-sections|split|debug|binary'),
    want('dead_end', 'lto|UPX'),
    maybe('dead_end', 'lto|UPX'),
  ),
  write(
    'websocket-open-end',
    {
      prompt: 'users report that notifications stop after the laptop sleeps. investigate',
      answer: `What I know so far: the socket is closed with 1006 after wake-up and \`reconnect()\` is called, but the server answers 401. The access token has expired during sleep and the client reconnects with the old one; the refresh only happens on HTTP calls.

I could not find out why it works in Firefox. Before changing anything we should decide whether the socket refreshes the token itself or waits for the HTTP layer.`,
      tools: [
        ...read('src/net/socket.ts', 'src/net/auth.ts'),
        used('Grep', 'reconnect\\('),
        ran('node scripts/sleep-sim.mjs', 'close 1006\nconnect 401'),
      ],
    },
    want('discovery|issue', 'token|401|reconnect|socket|sleep|notification'),
    maybe('issue|discovery', 'Firefox|decide|refresh|token'),
  ),
  write(
    'denied-then-done',
    {
      prompt: 'clean up the feature flags that are 100% rolled out',
      answer: `Three flags are fully rolled out: \`new-nav\`, \`fast-checkout\` and \`beta-editor\`.

Removed \`new-nav\` and \`fast-checkout\` with their old branches. You declined the deletion of the \`beta-editor\` row in production, so I left that flag alone.`,
      tools: [
        ran('rg -l "flag\\(" src'),
        ...edited('src/nav/Nav.tsx', 'src/checkout/Checkout.tsx', 'src/flags.ts'),
        used('Bash', 'psql -c "delete from flags where name=…"', 'denied'),
        ran('npm test', 'Tests: 310 passed, 310 total'),
      ],
      outcome: 'answered',
    },
    want('refactor|feature', 'flag'),
    maybe('issue|decision', 'beta-editor'),
  ),
  write(
    'load-test-task',
    {
      origin: 'task',
      prompt:
        '<task-notification>\n<task-id>bx91</task-id>\n<status>completed</status>\n<summary>Load test finished</summary>\n<output>p95 1850 ms, 312 errors: pool exhausted</output>\n</task-notification>',
      answer: `The load test finished: p95 is 1,850 ms and 312 requests failed with "pool exhausted". The database pool is still at its default of 10 connections while the service runs 64 workers; that is the bottleneck, not the new cache.`,
    },
    want('discovery|issue', 'pool|load test|p95'),
  ),
];
