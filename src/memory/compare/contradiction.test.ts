import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../../../test/support/plain-memory.ts';
import { USER_MAKER, type MemoryKind } from '../../core/index.ts';
import { contradicts } from './contradiction.ts';

type Pair = readonly [earlier: string, later: string];

const SUPERSEDED: readonly Pair[] = [
  // rejections with the same purpose
  ['Use npm for installs', 'Use pnpm instead of npm for installs'],
  ['Install packages with npm', 'Switched from npm to pnpm'],
  ['Use Jest', 'Replace Jest with Vitest'],
  ['Use Jest for unit tests', 'Switch from Jest to Vitest'],
  ['Use pnpm instead of npm', 'Use npm'],
  ['Prefer tabs', 'Use spaces rather than tabs'],
  ['Queue jobs in Redis', 'Stop using Redis for jobs'],
  ['Use Redis for sessions', 'We no longer use Redis for sessions, Memcached instead'],
  ['Sessions are stored in Redis', 'Sessions are stored in Postgres instead of Redis'],
  ['Use moment for dates', 'Dates are handled with date-fns, moment is removed'],
  ['The app uses CoreData for persistence', 'Persistence uses GRDB; CoreData is removed completely'],
  ['Use sha1 for file ids', 'Use sha256 instead of sha1 for file ids'],
  ['Use v1 of the partner API', 'Switched from v1 to v2 of the partner API'],
  ['Use GoodJob for background jobs', 'Background jobs run on Sidekiq again, GoodJob was reverted'],
  ['Use pnpm for installs', 'Reverted the switch to pnpm'],
  ['Use an in-memory cache for org slugs', 'Remove the in-memory cache'],
  ['Render PDFs with wkhtmltopdf', 'Replaced wkhtmltopdf by Playwright'],
  ['Use LiveData for view state', 'Moved away from LiveData, view state is a StateFlow'],
  // values of the same attribute
  ['Access tokens live 15 minutes', 'Access tokens live 30 minutes'],
  ['The session cache has a TTL of 60 s', 'TTL of the session cache: 60 → 600 s'],
  ['The cache TTL is 60 s', 'TTL 60 → 600 s'],
  ['Hold a slot for 15 minutes', 'Hold a slot for 12 minutes instead of 15'],
  ['Retry webhooks 3 times', 'Retry webhooks 5 times'],
  ['Uploads are limited to 300 MB', 'Uploads are limited to 1 GB'],
  ['The CI gate needs 80 % coverage', 'The CI gate needs 70 % coverage'],
  ['Poll the queue every 30 minutes', 'Poll the queue every hour instead of every 30 minutes'],
  ['The API listens on port 8080', 'The API listens on port 9090'],
  ['Packs are compressed with zstd level 19', 'Use zstd level 9 for packs instead of 19'],
  ['Raise the pool size of db1 to 20', 'Raise the pool size of db1 from 20 to 40'],
  ['The rate limit is 100 requests per minute', 'The rate limit is 250 requests per minute'],
  ['Keep backups for 30 days', 'Keep backups for 90 days'],
  ['The bidder has a memory limit of 1Gi', 'The bidder has a memory limit of 512Mi again'],
  // denials and places
  ['Refresh tokens rotate on every use', 'Refresh tokens no longer rotate on every use'],
  ['Always squash commits before merging', 'Never squash commits before merging'],
  ['Deploy to Fly', 'Deploy to Render'],
  ['Send mails with SendGrid', 'Send mails with Postmark from now on'],
  // German, French, Spanish, Portuguese, Russian
  ['Sessions liegen in Redis', 'Wir verwenden Redis nicht mehr für Sessions, sondern Memcached'],
  ['Tests laufen mit Jest', 'Tests von Jest auf Vitest umgestellt'],
  ['Token gelten 15 Minuten', 'Token gelten jetzt 30 Minuten'],
  ['Wir nutzen einen In-Memory-Cache für Mandanten', 'In-Memory-Cache entfernt'],
  ['Utiliser Redis pour les sessions', 'Utiliser Memcached au lieu de Redis pour les sessions'],
  ['Les jetons expirent après 15 minutes', 'Les jetons expirent après 30 minutes'],
  ['Utiliser Jest pour les tests', 'Passer de Jest à Vitest pour les tests'],
  ['Usar Redis para las sesiones', 'Ya no usamos Redis para las sesiones'],
  ['El límite de subida es de 20 MB', 'El límite de subida es de 50 MB'],
  ['Usar Jest para los tests', 'Migrar de Jest a Vitest'],
  ['Usar npm para instalar', 'Usar pnpm em vez de npm para instalar'],
  ['Используем Redis для сессий', 'Больше не используем Redis для сессий'],
  ['Тесты пишем на Jest', 'Перейти с Jest на Vitest'],
  ['Таймаут запроса 30 секунд', 'Таймаут запроса увеличен с 30 до 60 секунд'],
  // Chinese, Japanese
  ['使用 npm 安装依赖', '用 pnpm 代替 npm 安装依赖'],
  ['会话存放在 Redis', '不再使用 Redis 存放会话'],
  ['访问令牌有效期为15分钟', '访问令牌有效期改为30分钟'],
  ['测试用 Jest', '把 Jest 换成 Vitest'],
  ['テストは jest を使う', 'テストは jest ではなく vitest を使う'],
  ['トークンの有効期限は15分', 'トークンの有効期限は30分'],
  ['テストは Jest を使う', 'テストを Jest から Vitest に移行する'],
];

const UNRELATED: readonly Pair[] = [
  // other things with a number
  ['Postgres runs on host db1', 'Postgres runs on host web2'],
  ['Phase 1 covers the importer', 'Phase 2 covers the importer'],
  ['`shard-1` is read only', '`shard-2` is read only'],
  ['Phase 1 ends with a demo', 'Phase 2 ends with a demo'],
  ['Phase 1 ships in March', 'Phase 2 ships in June'],
  ['Step 3 of the runbook takes 10 minutes', 'Step 4 of the runbook takes 20 minutes'],
  ['Section 4.1 of the spec is frozen', 'Section 4.2 of the spec is not frozen'],
  ['Ticket 112 waits for legal', 'Ticket 113 waits for legal'],
  ['#97 moves to 0.9', '#105 moves to 0.10'],
  ['The replica db2 keeps 7 days of logs', 'The replica db3 keeps 30 days of logs'],
  ['Sensor 4 is polled every 5 seconds', 'Sensor 7 is polled every 60 seconds'],
  ['cache-3 stores the sessions for 60 s', 'cache-18 stores the sessions for 90 s'],
  ['Shard-1 uses Redis for sessions', 'shard-2 no longer uses Redis for sessions'],
  ['Port 5432 is open for the office', 'Port 6379 is open for the office'],
  ['Rev A has no CC resistors', 'Rev B has CC resistors'],
  ['Level 3 has a timer of 60 seconds', 'Level 4 has a timer of 90 seconds'],
  ['API v1 is limited to 100 requests per minute', 'API v2 is limited to 500 requests per minute'],
  ['Abschnitt 2 des Vertrags gilt 30 Tage', 'Abschnitt 3 des Vertrags gilt 60 Tage'],
  ['Étape 1 : la migration dure 2 heures', 'Étape 2 : la migration dure 4 heures'],
  ['Fase 1 termina en 3 semanas', 'Fase 2 termina en 5 semanas'],
  ['Шаг 2 занимает 10 минут', 'Шаг 3 занимает 15 минут'],
  ['第1阶段需要2周', '第2阶段需要4周'],
  ['フェーズ1は2週間かかる', 'フェーズ2は3週間かかる'],
  // other environments, places and purposes
  ['The staging TTL is 60 s', 'The production TTL is 600 s'],
  ['Deploy to Fly', 'Deploy docs to Render'],
  ['Use Redis for sessions', 'No longer use Redis for rate limits'],
  ['Use Jest for unit tests', 'Use Playwright instead of Cypress for browser tests'],
  ['Postgres stores the orders', 'Use Redis instead of Postgres for the queue'],
  ['Use pnpm instead of npm for packages', 'Use npm scripts for builds'],
  ['The login timeout is 30 s', 'The upload timeout is 300 s'],
  ['DNS records have a TTL of 60 s', 'Session TTL 60 → 600 s'],
  ['iOS builds need Xcode 16', 'Android builds need Gradle 8'],
  ['Der Cache auf Staging hält 60 s', 'Der Cache in Produktion hält 600 s'],
  ['测试环境缓存时间为60秒', '生产环境缓存时间为600秒'],
  // compatible statements
  ['Use pnpm for installs', 'Use vitest for tests'],
  ['Prices are kept in cents', 'Prices are stored in cents'],
  ['Use tabs in Makefiles', 'Use tabs in Go files'],
  ['Never commit secrets', 'Do not commit secrets'],
  ['Rotate refresh tokens on every use', 'Never log refresh tokens'],
  ['Sessions live in Redis', 'Sessions do not survive a restart of the worker'],
  ['Use an in-memory cache for org slugs', 'Do not remove the in-memory cache'],
  ['Use a CDN for images', 'Remove the in-memory cache'],
  ['Orders show 20 rows per page', 'Orders show 5 columns on phones'],
  ['Validate the station list of Faro at the edge', 'Validate the station list of Brest at the edge'],
  ['Write the failing test for the alarm log first', 'Write the failing test for the map layer first'],
  ['Payments retry 5 times', 'Payouts retry 3 times'],
];

const IN_DOUBT: readonly Pair[] = [
  ['Build with Node 20', 'Build with Node 22'],
  ['Use eslint for TypeScript files', 'Use prettier for TypeScript files'],
  ['Use Redis', 'No longer use Redis for sessions'],
  ['Use Redis for sessions', 'Shard-2 no longer uses Redis for sessions'],
  ['Use Redis Streams for events', 'We dropped Redis'],
  ['Use an in-memory cache for org slugs', 'Remove the cache'],
  ['The timeout is 30 s', 'The timeout of the importer is 60 s'],
  ['Input delay is 2 frames', 'Input delay follows ping: 1 frame below 60 ms, 2 to 120 ms'],
  ['Allow traffic to port 80', 'Allow traffic to port 443'],
  ['Use Jest for unit tests', 'Use Vitest instead of Jest for integration tests'],
  ['Etiketten werden mit Zebra-Druckern gedruckt, nicht als PDF', 'Etiketten werden wieder als PDF gedruckt'],
];

const between = (
  pairs: readonly Pair[],
  check: (earlier: Pair[0], later: Pair[1]) => boolean,
): readonly string[] => pairs.filter(([a, b]) => !check(a, b)).map(([a, b]) => `${a} / ${b}`);
const ends = (a: string, b: string): boolean =>
  contradicts(statement('decision', a), statement('decision', b, {}, 1));

test('a later statement about the same subject supersedes the earlier one', () => {
  assert.deepEqual(between(SUPERSEDED, ends), []);
});

test('statements about other things do not supersede each other', () => {
  assert.deepEqual(
    between(UNRELATED, (a, b) => !ends(a, b) && !ends(b, a)),
    [],
  );
});

test('in doubt both stay', () => {
  assert.deepEqual(
    between(IN_DOUBT, (a, b) => !ends(a, b)),
    [],
  );
});

test('facts that the user writes without a kind supersede each other, those of an agent do not', () => {
  const provenance = { ...statement('discovery', 'x').memory.provenance, by: USER_MAKER };
  const pairs = [
    ['We use Redis for sessions', 'we no longer use Redis for sessions, Memcached instead'],
    ['Cache TTL is 60 s', 'Cache TTL 60 → 600 s'],
    ['Use Jest for unit tests', 'switch from Jest to Vitest'],
    ['Use the in-memory cache for tokens', 'remove the in-memory cache'],
  ] as const;
  for (const [a, b] of pairs) {
    const ends = (more: object) =>
      contradicts(statement('discovery', a, more), statement('discovery', b, more, 1));
    assert.deepEqual([ends({ provenance }), ends({})], [true, false], a);
  }
});

const REMOVED: readonly (readonly [MemoryKind, string, MemoryKind, string])[] = [
  ['feature', 'Added an in-memory cache for org slugs', 'decision', 'Remove the in-memory cache'],
  ['feature', 'Added an in-memory cache for org slugs', 'refactor', 'Removed the in-memory cache'],
  ['pattern', 'Use Briefly for temp files', 'refactor', 'Replaced Briefly with Plug.Upload'],
  ['refactor', 'Introduced a repository layer', 'decision', 'The repository layer is removed'],
  ['decision', 'Use Jest for unit tests', 'refactor', 'Migrated from Jest to Vitest'],
  ['feature', 'Dark mode added to the settings page', 'decision', 'Dark mode was reverted'],
];

test('a removal or a revert ends work and rules about the thing', () => {
  for (const [kind, a, later, b] of REMOVED)
    assert.ok(contradicts(statement(kind, a), statement(later, b, {}, 1)), `${a} / ${b}`);
});

test('a choice contradicts no piece of work, and a removal no bug, issue or discovery', () => {
  const choice = statement('decision', 'Use pnpm instead of npm for installs', {}, 1);
  assert.ok(!contradicts(statement('feature', 'Use npm for installs'), choice));
  const removal = statement('decision', 'Remove the in-memory cache', {}, 1);
  for (const kind of ['bugfix', 'issue', 'discovery', 'dead_end'] as const)
    assert.ok(!contradicts(statement(kind, 'Use an in-memory cache for org slugs'), removal), kind);
});
