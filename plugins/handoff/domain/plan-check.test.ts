import assert from 'node:assert/strict'
import { test } from 'node:test'
import { avoidedAttempt as avoided } from '../testing/avoided-attempt.ts'
import { checkPlan } from './plan-check.ts'

test('what comes after `by`, or after a reason and `so`, is what a plan does', () => {
  const verdictOf = (plan: string, attempt: string) => checkPlan(plan, [avoided(attempt, 1)]).verdict
  const strict = 'Session cookie set to SameSite=Strict as CSRF protection'

  assert.equal(
    verdictOf('Stop cross-site posts by making the session cookie SameSite=Strict', strict),
    'repeat',
  )
  assert.equal(
    verdictOf(
      'Parsing takes too long, so allow the processor three minutes via dag_processor_timeout',
      'Raised dag_processor_timeout to 180',
    ),
    'repeat',
  )
  assert.notEqual(
    verdictOf(
      'Point the types field at built files, so checking packageC reads declarations',
      'skipLibCheck in all tsconfigs, checking packageC still goes through the sources',
    ),
    'repeat',
  )
  assert.notEqual(verdictOf('Stop cross-site posts by checking a token in every form', strict), 'repeat')
})

test('a score is the same beside one attempt and among many that have nothing to do with it', () => {
  const plan = 'Let the importer keep more of its rows in memory'
  const tried = avoided('Raised the memory of the importer to stop the OOM', 0)
  const among = (count: number) => [
    tried,
    ...Array.from({ length: count }, (_, n) =>
      avoided(`Painted wall${n}, fence${n} and door${n} blue`, n + 1),
    ),
  ]
  const alone = checkPlan(plan, [tried]).matches
  const scores = [7, 40, 200].map((count) => checkPlan(plan, among(count)).matches[0]?.score)

  assert.equal(alone.length, 1)
  assert.deepEqual(new Set(scores), new Set([alone[0]?.score]))
})

test('a plan that tells what was tried before and does something else does not repeat it', () => {
  const verdictOf = (plan: string, attempt: string) => checkPlan(plan, [avoided(attempt, 1)]).verdict
  const raised = 'Raise the pool to 100 connections'

  assert.equal(
    verdictOf('Raising the pool to 100 connections did not help, so find what never returns its own', raised),
    'clear',
  )
  assert.equal(
    verdictOf('We raised the pool to 100 connections but it did not help. Look for the leak', raised),
    'clear',
  )
  assert.equal(
    verdictOf("We've tried the pool with 100 connections; look for the handler that leaks", raised),
    'clear',
  )
  assert.equal(verdictOf(`The last fix did not work, so ${raised}`, raised), 'repeat')
  assert.notEqual(
    verdictOf('Retry the upload step that did not work', 'Retry the upload step three times'),
    'clear',
  )
})

test('what a plan wants to prevent does not refuse the attempt', () => {
  const verdictOf = (plan: string, attempt: string) => checkPlan(plan, [avoided(attempt, 1)]).verdict

  assert.equal(
    verdictOf(
      'Point every import of react at the same folder by an alias to avoid two copies of react',
      'Alias react to one folder in webpack',
    ),
    'repeat',
  )
  assert.equal(
    verdictOf(
      'Set task_acks_late and drop the prefetch multiplier to one',
      'Set acks_late and prefetch multiplier 1 in Celery',
    ),
    'repeat',
  )
})

test('phrases are read as the words that they mean, also with their object inside', () => {
  const verdictOf = (plan: string, attempt: string) => checkPlan(plan, [avoided(attempt, 1)]).verdict

  assert.equal(verdictOf('Turn the response cache off', 'Disable the response cache'), 'repeat')
  assert.equal(verdictOf('Roll eslint back to 8', 'Downgrade eslint to 8'), 'repeat')
  assert.equal(verdictOf('Wait half an hour for the export', 'Wait 30 minutes for the export'), 'repeat')
  assert.equal(verdictOf('Return a hundred rows', 'Return 100 rows'), 'repeat')
  assert.equal(verdictOf('Send as soon as it is seen', 'Poll once a second'), 'clear')
  assert.equal(
    verdictOf('Ask for the build status five times a second', 'Poll the build status every 200 ms'),
    'repeat',
  )
  assert.equal(verdictOf('Let the JVM have a heap of 8 GB', 'Start the JVM with -Xmx8g'), 'repeat')
  assert.equal(verdictOf('Set the memory limit of the pod to 2 GiB', 'Raise RAM of the pod to 2Gi'), 'repeat')
  assert.equal(verdictOf('Keep the basket in cookies', 'Keep the basket in a cookie'), 'repeat')
})

test('a plan that drops what the attempt dropped repeats it, one that refuses to do so does not', () => {
  const verdictOf = (plan: string, attempt: string) => checkPlan(plan, [avoided(attempt, 1)]).verdict

  assert.equal(
    verdictOf('Drop the unique constraint on email', 'Remove the unique constraint on email'),
    'repeat',
  )
  assert.equal(
    verdictOf('Drop moment from the calendar and use dayjs', 'Replaced moment by dayjs in the calendar'),
    'repeat',
  )
  assert.equal(
    verdictOf('Keep the basket in MongoDB rather than in Kafka', 'Moved the basket from Kafka to MongoDB'),
    'repeat',
  )
  assert.notEqual(
    verdictOf('Keep the basket in Kafka rather than in MongoDB', 'Moved the basket from Kafka to MongoDB'),
    'repeat',
  )
  assert.notEqual(verdictOf('Never delete the lock file', 'Delete the lock file at start-up'), 'repeat')
  assert.notEqual(
    verdictOf('Use a queue instead of the recursive walk', 'Use a recursive walk of the tree'),
    'repeat',
  )
})

test('a plan that names the remedy of what was tried does not repeat it, however it turns away', () => {
  const cases: readonly (readonly [attempt: string, plan: string, repeats: boolean])[] = [
    [
      'Parsed invoices with a regular expression',
      'Use an HTML parser for the invoices instead of a regular expression',
      false,
    ],
    [
      'Parsed the invoices with a regular expression',
      'Parse the invoices with an HTML parser rather than with a regular expression',
      false,
    ],
    [
      'Parsed invoices with a regular expression',
      'Change the invoice parser to an HTML library instead of regex',
      false,
    ],
    [
      'Parsed invoices with a regular expression',
      'Move the invoice parsing away from regular expressions to a real parser',
      false,
    ],
    [
      'Parsed invoices with a regular expression',
      'Parse the invoices, not by a regular expression but by an HTML parser',
      false,
    ],
    [
      'Parsed invoices with a regular expression',
      'Swap the regular expression for an HTML parser in the invoice import',
      false,
    ],
    [
      'Parsed invoices with a regular expression',
      'Drop the regular expression, parse the invoices with cheerio',
      false,
    ],
    ['Parsed invoices with a regular expression', 'Get rid of the invoice regex', false],
    [
      'Parsed invoices with a regular expression',
      'Switch the invoices from a regular expression to an HTML parser',
      false,
    ],
    [
      'Parsed invoices with a regular expression',
      'Parse invoices with a regex instead of an HTML parser',
      true,
    ],
    ['Parsed invoices with a regular expression', 'Use a regex for parsing the invoices', true],
    [
      'Created the index concurrently inside of the migration transaction',
      'Create the index concurrently outside of a transaction',
      false,
    ],
    [
      'Create the index concurrently in a transaction',
      'Create the index concurrently without a transaction',
      false,
    ],
    [
      'CREATE INDEX CONCURRENTLY inside the migration transaction; fails',
      'Disable the transaction of the migration and create the index concurrently',
      false,
    ],
    [
      'Create the index concurrently outside of a transaction',
      'Build the index concurrently outside the transaction',
      true,
    ],
    ['Retried requests on 503 without backoff', 'Retry requests on 503 with exponential backoff', false],
    ['Retried requests on 503 without backoff', 'Retry requests on 503 immediately, with no backoff', true],
    ['Upgraded webpack from 4 to 5', 'Migrate the bundler to webpack5', true],
    ['Upgrade webpack to version 5; build broke', 'migrate the bundler to webpack5', true],
    [
      'Read the file synchronously before the server starts',
      'Read the file after the server has started',
      false,
    ],
    ['Cached the token in localStorage', 'Keep the token in memory, no localStorage', false],
    ['Cached the token in localStorage', 'Stop caching the token in localStorage', false],
    ['Cached the token in localStorage', 'Store the token in local storage so that it is not lost', true],
    ['Ran the tests with --runInBand', 'Run the tests in parallel, no longer in band', false],
    ['Mocked the clock with jest fake timers', 'Do not mock the clock with fake timers; inject it', false],
    [
      'Used a singleton for the connection',
      'Pass the connection as a parameter so no singleton is needed',
      false,
    ],
    ['Wrap the store in a Mutex', 'Replace the Mutex around the store with an actor', false],
    ['Wrap the store in a Mutex', 'Prefer an actor over the Mutex around the store', false],
    ['Replaced the Mutex with an RwLock; slower', 'Use a RwLock instead of the Mutex', true],
    ['Replaced moment with dayjs', 'Swap moment for dayjs', true],
    ['Moved from REST to gRPC', 'Use gRPC rather than REST for the calls', true],
    ['Moved from REST to gRPC', 'Stay on REST, do not use gRPC', false],
    [
      'Run the migration on start-up of the server',
      'Run the migration in a separate job, outside of the start-up of the server',
      false,
    ],
    ['Added a lock around the cache', 'Protect the cache without a lock by making it immutable', false],
    ['Compile the templates with eval', 'Precompile the templates at build time to avoid eval', false],
    ['Compile the templates with eval', 'Precompile the templates so that eval is not needed', false],
    ['Retry the upload three times', 'Retry the upload three times so that it does not fail', true],
    ['Disabled the cache in CI', 'Turn the cache off in CI', true],
    ['Disabled the cache in CI', 'Do not use the cache in CI', true],
    ['Disabled the cache in CI', 'Run CI without a cache', true],
    ['Removed the retry around the payment call', 'Call the payment without a retry', true],
    ['Removed the timeout of the payment call', 'No timeout for the payment call', true],
    ['Ran the container as root', 'Run the container as a non-root user', false],
    ['Use npm install in the Dockerfile', 'Use npm ci in the Dockerfile instead of npm install', false],
    ['Set replicas to 3', 'Lower the replicas to 1', false],
  ]

  for (const [attempt, plan, repeats] of cases)
    assert.equal(checkPlan(plan, [avoided(attempt, 1)]).verdict === 'repeat', repeats, `${attempt} / ${plan}`)
})

test('a plan is compared by what it does, also if a reason comes first', () => {
  const verdictOf = (plan: string, attempt: string) => checkPlan(plan, [avoided(attempt, 1)]).verdict

  const lowered = 'Lowered the MTU of the interface'
  assert.equal(
    verdictOf("Handshakes hang on the tunnel, so I'll reduce the interface MTU", lowered),
    'repeat',
  )
  assert.equal(verdictOf('The tunnel is slow; reduce the MTU of the interface', lowered), 'repeat')
  assert.equal(verdictOf('Set minifyEnabled false', 'Disabled minification'), 'repeat')
  assert.equal(
    verdictOf(
      'Show the profiler what the filter callback does',
      'Memoised the list; the filter callback is new',
    ),
    'clear',
  )
})

test('a plan without words, of signs only, or as long as may be has a verdict and scores from 0 to 1', () => {
  const attempts = ['', '!!!', 'the', '\u0000\ud800', 'Store the state in a cookie', 'a,b,c '.repeat(1000)]
  const given = attempts.map((approach, n) => avoided(approach, n))

  for (const plan of [
    ...attempts,
    '日本語の計画',
    'not '.repeat(1000),
    'x'.repeat(4000),
    '1 '.repeat(2000),
  ]) {
    const { matches } = checkPlan(plan, given)

    for (const { score } of matches) assert.ok(score >= 0 && score <= 1, `${plan.slice(0, 20)}: ${score}`)
  }
  assert.equal(checkPlan('the', given).verdict, 'clear')
  assert.equal(checkPlan('Store the state in a cookie', []).verdict, 'clear')
})

test('plans in scripts without spaces between words are compared by their words', () => {
  const attempts = [
    'データベースのインデックスを追加して検索を高速化する',
    '给数据库的订单表加索引',
    'เพิ่มดัชนีในฐานข้อมูลเพื่อให้ค้นหาเร็วขึ้น',
  ].map(avoided)
  const verdictsOf = (plans: readonly string[]) => plans.map((plan) => checkPlan(plan, attempts).verdict)

  const same = ['検索を高速化するためにデータベースにインデックスを追加', '给订单表加索引', 'เพิ่มดัชนีในฐานข้อมูล']
  const others = ['データベースのバックアップを削除する', '修复登录页面的样式', 'แก้ไขหน้าเข้าสู่ระบบ']

  assert.deepEqual(verdictsOf(same), ['repeat', 'repeat', 'repeat'])
  assert.deepEqual(verdictsOf(others), ['clear', 'clear', 'clear'])
})
