/** Written turns that are difficult: other languages, quoted text, machine-made prompts, cut-off turns. */
import { edited, failed, maybe, ran, read, used, want, write, wrote } from './_write.ts';

export const writtenHard = [
  write(
    'german-redis',
    {
      prompt:
        'Wir nehmen Redis statt Memcached für die Sessions, weil wir Pub/Sub sowieso brauchen. Stell das bitte um.',
      answer: `Umgestellt: \`SessionStore\` spricht jetzt mit Redis, die Memcached-Konfiguration ist entfernt. Die Integrationstests laufen durch.`,
      tools: [
        ...edited('src/session/store.php', 'config/cache.php', 'docker-compose.yml'),
        ran('vendor/bin/phpunit --group session', 'OK (23 tests, 61 assertions)'),
      ],
    },
    want('decision|preference|feature|refactor', 'Redis'),
    maybe('feature|refactor', 'Redis|SessionStore|session'),
  ),
  write(
    'chinese-timezone-fix',
    {
      prompt: '报表里的日期差了一天，帮我看一下',
      answer: `问题找到了：\`report.py\` 用本地时区截断日期，而数据库存的是 UTC，所以凌晨八点前的记录会算到前一天。

我改成先转换到用户时区再截断，并补了一个测试，现在全部通过。`,
      tools: [
        ...read('app/report.py'),
        failed('pytest tests/test_report.py', "AssertionError: assert '2026-02-28' == '2026-03-01'"),
        ...edited('app/report.py', 'tests/test_report.py'),
        ran('pytest tests/test_report.py', '6 passed'),
      ],
    },
    { ...want('bugfix', '时区|report|日期|UTC'), files: ['app/report.py'] },
  ),
  write(
    'japanese-commits',
    {
      prompt: 'コミットメッセージは今後すべて日本語で書いてください。',
      answer: '承知しました。今後のコミットメッセージは日本語で書きます。',
    },
    want('preference', 'コミット'),
  ),
  write(
    'spanish-filter',
    {
      prompt: 'agrega un filtro por estado en la lista de pedidos',
      answer: `Listo. La lista de pedidos tiene ahora un filtro por estado (pendiente, pagado, enviado); el estado elegido se guarda en la URL. Las pruebas pasan.`,
      tools: [
        ...edited('src/pedidos/Lista.vue', 'src/pedidos/filtros.ts'),
        ran('npm run test:unit -- pedidos', 'Tests  12 passed (12)'),
      ],
    },
    { ...want('feature', 'filtro|pedidos|estado'), files: ['src/pedidos/Lista.vue'] },
  ),
  write('korean-thanks', {
    prompt: '고마워, 잘 됐어',
    answer: '다행이에요! 더 필요한 게 있으면 말씀해 주세요.',
  }),
  write('chinese-question', {
    prompt: '这个函数是做什么的？',
    answer: '它把输入的字符串按逗号分割，去掉空白后返回数组。',
    tools: [...read('src/split.ts')],
  }),
  write('pasted-log', {
    prompt: `what does this mean?

2026-02-11T08:12:44Z WARN  upgrade: we decided to always use the new resolver, set RESOLVER=legacy to opt out
2026-02-11T08:12:45Z ERROR resolver: fixed point not reached, never use recursive aliases
2026-02-11T08:12:45Z INFO  next steps: run doctor`,
    answer:
      'The warning only tells you that the tool switched its default resolver. The error means that two aliases refer to each other; the program gives up after 100 rounds. Have a look at the alias section of your config.',
  }),
  write('web-page-summary', {
    prompt: 'summarize https://example.dev/blog/why-we-left-microservices',
    answer: `The post says:

- They decided to merge 40 services into one monolith because on-call was unbearable
- They always deploy behind flags and never on Fridays
- Their biggest mistake was sharing a database between services
- Next steps for them: remove the message bus

It's an opinion piece, but the numbers on incident counts are interesting.`,
    tools: [used('WebFetch', 'https://example.dev/blog/why-we-left-microservices')],
  }),
  write('task-green', {
    origin: 'task',
    prompt:
      '<task-notification>\n<task-id>b12</task-id>\n<status>completed</status>\n<summary>Background command "npm test" completed (exit code 0)</summary>\n</task-notification>',
    answer: 'The background test run finished: everything passes.',
  }),
  write('interrupted-edit', {
    prompt: 'rename UserService to AccountService everywhere',
    answer: "I'll find all usages first.",
    tools: [used('Grep', 'UserService'), ...edited('src/user/service.ts')],
    outcome: 'interrupted',
  }),
  write('denied-rm', {
    prompt: 'the migrations are a mess, clean them up',
    answer: "I'll remove the old migrations and create one fresh file.",
    tools: [used('Bash', 'rm -rf db/migrations/*', 'denied')],
    outcome: 'denied',
  }),
  write(
    'after-denied',
    {
      prompt: 'never delete or edit a migration that is already merged!! add a new one on top',
      answer:
        'Understood. I wrote `0042_drop_unused_columns.sql` on top instead and left the merged ones untouched.',
      tools: [...wrote('db/migrations/0042_drop_unused_columns.sql'), ran('make migrate', 'applied 0042')],
    },
    want('preference|dead_end|pattern', 'migration'),
    maybe('feature|bugfix|refactor', '0042|columns|migration'),
  ),
  write('slash-compact', { prompt: '/compact', answer: '', outcome: 'open' }),
  write('api-error', { prompt: 'try again', answer: 'API Error: 529 Overloaded', outcome: 'failed' }),
  write(
    'readme-quote',
    {
      prompt: 'read CONTRIBUTING.md and tell me what they expect from a patch',
      answer: `From the document:

> Always sign off your commits. Never force-push to a shared branch. We decided to use Conventional Commits in 2021.

So: signed-off commits, conventional messages, tests for every fix.`,
      tools: [...read('CONTRIBUTING.md')],
    },
    maybe('discovery|pattern', 'commit|sign'),
  ),
  write(
    'code-in-prompt',
    {
      prompt: `this throws, why?

\`\`\`js
// we always use var here, never const
// TODO: decide whether to fix the parser
const x = JSON.parse(body);
\`\`\`

body comes from the Lambda event`,
      answer: `Because \`body\` is already base64: API Gateway sets \`isBase64Encoded\` for binary media types, and \`*/*\` is listed in the template. Decode it first, or remove \`*/*\` from \`binaryMediaTypes\`. I removed it from \`template.yaml\`, since you don't serve binaries.`,
      tools: [...read('template.yaml'), ...edited('template.yaml')],
    },
    {
      ...want('bugfix|discovery|decision', 'base64|binaryMediaTypes|isBase64Encoded|JSON\\.parse|\\*/\\*'),
      files: ['template.yaml'],
    },
    maybe('discovery|decision', 'base64|binaryMediaTypes'),
  ),
  write('failed-search', {
    prompt: 'find the ticket about the broken footer',
    answer: "I couldn't find a ticket that mentions the footer. Do you remember roughly when it was opened?",
    tools: [used('mcp__tracker__search', 'broken footer'), used('ListMcpResourcesTool')],
  }),
  write(
    'long-upgrade',
    {
      prompt: 'upgrade to Django 5.2 and get the suite green',
      answer: `Let me see where we are.

I'll bump the pins and run the suite to see what breaks.

37 failures. Grouping them: most come from \`assertQuerysetEqual\`, which was removed; a few from the new default of \`USE_L10N\`; two real ones.

Fixing the renamed assertion first.

Now 4 left. The \`Meta.index_together\` ones need migrations.

Interesting: \`test_login_redirect\` passes alone but fails in the suite. That's an ordering problem: \`test_sso\` overrides \`LOGIN_URL\` without restoring it.

Everything is green now: 1,204 tests. Summary:

- Django 4.2 → 5.2, \`django-filter\` and \`drf\` bumped along
- \`index_together\` replaced by \`indexes\` (two migrations)
- \`test_sso\` now uses \`override_settings\`, it leaked \`LOGIN_URL\` into other tests

\`django-legacy-auth\` has no release for 5.x; I vendored it under \`vendor/\` for now, we should replace it before the next upgrade.`,
      tools: [
        ...edited('pyproject.toml'),
        failed(
          'pytest -q -x',
          "AttributeError: 'TestCase' object has no attribute 'assertQuerysetEqual'",
          '37 failed',
        ),
        ...edited('shop/tests/test_orders.py', 'shop/models.py', 'sso/tests/test_sso.py'),
        ...wrote('shop/migrations/0077_indexes.py', 'sso/migrations/0009_indexes.py'),
        failed('pytest -q', '1 failed, 1203 passed'),
        ran('pytest -q', '1204 passed in 301.22s'),
        ran('git commit -qam "chore: Django 5.2"', ''),
      ],
    },
    want('feature|refactor|bugfix', 'Django|5\\.2'),
    want('issue', 'legacy-auth|vendor'),
    maybe('bugfix|discovery', 'LOGIN_URL|test_sso'),
  ),
];
