import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPlan } from './plan-check.ts'

const check = (plan: string, approach: string) =>
  checkPlan(plan, [
    {
      record: '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e3f',
      id: 'F-001',
      approach,
      reason: null,
      avoid_repeating: true,
      evidence: [],
    },
  ])

/** Plans beside one attempt: those that repeat it, and those that are other deeds in much the same words. */
function assertTold(attempt: string, repeats: readonly string[], others: readonly string[]): void {
  for (const plan of repeats) assert.equal(check(plan, attempt).verdict, 'repeat', `${attempt} / ${plan}`)
  for (const plan of others) assert.notEqual(check(plan, attempt).verdict, 'repeat', `${attempt} / ${plan}`)
}

test('a setting is repeated by the same value of the same name, in letters or in words', () => {
  assertTold(
    'Set enable_dns_hostnames = false',
    ['Disable DNS hostnames', 'Turn DNS hostnames off', 'enable_dns_hostnames: false'],
    ['Set enable_dns_hostnames = true', 'Set enable_dns_support = false', 'Turn on DNS hostnames in the vpc'],
  )
  assertTold('Set cacheEnabled: false', ['Disable the cache'], ['Set cacheEnabled: true'])
  assertTold('Set log_statement to all', ['log_statement = all'], ['Set log_statement to ddl'])
  assertTold(
    'Set the pool timeout to 5 seconds',
    ['Set the pool timeout to 5000 ms'],
    ['Set the pool timeout to 20 seconds'],
  )
  assertTold(
    'Lower the learning rate to 1e-5',
    ['Reduce the learning rate to 0.00001', 'Set the learning rate to 1e-05'],
    ['Lower the learning rate to 0.0001', 'Lower the learning rate to 2e-5'],
  )
  assertTold('Set the tolerance to 1.123456789e-99', ['Set the tolerance to 1.123456789e-99'], [])
  assertTold(
    'Give the network task a stack of 8 KB',
    ['Increase the stack of the network task to 8192 bytes'],
    ['Increase the stack of the network task to 16384 bytes'],
  )
  assertTold('Export NODE_ENV=production', ['Set NODE_ENV to production'], ['Export NODE_ENV=development'])
  assertTold(
    'Set single_nat_gateway and one_nat_gateway_per_az together',
    ['Enable both single_nat_gateway and one_nat_gateway_per_az'],
    ['Set one_nat_gateway_per_az = true and single_nat_gateway = false', 'Set single_nat_gateway only'],
  )
})

test('an upgrade is repeated by the same version of the same module, all in one step', () => {
  assertTold(
    'Upgrade terraform-aws-vpc to v6.0.0 in one step',
    [
      'go straight to 6.0.0 of the vpc module',
      'Bump the vpc module to v6',
      'Bump the vpc module to 6.x directly',
    ],
    [
      'Upgrade terraform-aws-rds to v6.0.0',
      'Upgrade the rds module to 6.0.0',
      'Upgrade terraform-aws-vpc to v5.9.0',
      'Upgrade terraform-aws-eks to v20.0.0 in one step',
      'Go to v6 in two steps: the provider first, the module later',
      'Upgrade terraform-aws-vpc to v6.0.0. Do so in two steps',
    ],
  )
  assertTold(
    'Pin hashicorp/aws to 5.31.0',
    ['Pin the aws provider to 5.31', 'Hold hashicorp/aws at 5.31.0'],
    ['Pin hashicorp/google to 5.31.0', 'Pin hashicorp/aws to 5.40.0'],
  )
})

test('regions, tags, flags and services of other names are other objects', () => {
  assertTold(
    'Deploy the function to eu-west-1',
    ['Deploy the function in eu-west-1'],
    ['Deploy the function to us-east-2'],
  )
  assertTold('Build from node:18-alpine', ['Build it from node:18-alpine'], ['Build from node:20-alpine'])
  assertTold(
    'Run npm install with --force',
    ['npm install --force'],
    ['Run npm install with --legacy-peer-deps'],
  )
  assertTold('Restart the auth-service', ['Restart auth-service'], ['Restart the user-service'])
})

test('two things of one owner are other objects, also where other signs join their names', () => {
  assertTold(
    'Update actions/checkout to v4',
    ['Move actions/checkout up to v4', 'Bump the checkout action to v4', 'Bump Actions/Checkout to v4'],
    ['Update actions/setup-node to v4', 'Update actions/cache to v4', 'Update docker/login-action to v4'],
  )
  assertTold(
    'Install @types/node as a dependency',
    ['Add @types/node to the dependencies'],
    ['Install @types/react-dom as a dependency'],
  )
  assertTold(
    'Replace actions/create-release by softprops/action-gh-release',
    ['Use softprops/action-gh-release in place of actions/create-release'],
    ['Swap actions/create-release for ncipollo/release-action'],
  )
  assertTold(
    'Wrap the calls in try/catch',
    ['Put a try/catch around the calls', 'Put a try/catch around the calls, log in/out'],
    [],
  )
})

test('a name of the other alone is not among the terms that matched', () => {
  const termsOf = (plan: string, attempt: string) => check(plan, attempt).matches[0]?.matched_terms ?? []

  assert.deepEqual(termsOf('Set enable_dns_support = false', 'Set enable_dns_hostnames = false'), [
    'set',
    'disabl',
    'dns',
  ])
  assert.ok(
    !termsOf('Upgrade the vpc to v5.9.0', 'Upgrade the vpc to v6.0.0').some((term) => /\d/.test(term)),
  )
})

test('a second of something is not read as a time', () => {
  const waited = 'Wait a second before each retry of the API'

  assert.equal(check('Use a second CIDR block', waited).verdict, 'clear')
  assert.equal(check('Sleep 1000 ms between retries of the API', waited).verdict, 'repeat')
})

test('one noun after "then" is not a step of its own', () => {
  for (const noun of ['module', 'vpc', 'subnets'])
    assert.equal(
      check(
        `Change the provider first, then the ${noun}`,
        `Upgraded the ${noun} of the staging network to v6`,
      ).verdict,
      'clear',
    )
  assert.equal(check('Stop the worker, then restart the queue', 'Restart the queue').verdict, 'repeat')
})

test('a plan that keeps what the attempt left, or uses another thing of one kind, does not repeat it', () => {
  const cases: readonly (readonly [attempt: string, plan: string, repeats: boolean])[] = [
    ['Moved the song list from LazyVStack to List', 'Keep LazyVStack for the song list', false],
    ['Moved the song list from LazyVStack to List', 'Move the song list to List', true],
    ['Hash the passwords with bcrypt', 'Hash the passwords with scrypt', false],
    ['Hash the passwords with bcrypt', 'Use bcrypt to hash the passwords', true],
    ['Store the amounts as floats', 'Store the amounts as decimals', false],
    ['Pinned numpy below 2 for the old ABI', 'Build the extension for the ABI of numpy 2', false],
    ['Pinned numpy below 2 for the old ABI', 'Pin numpy<2 for the old ABI', true],
    ['Sleep a second before the click on the menu', 'Wait for the menu to be shown before the click', false],
    ['Sleep a second before the click on the menu', 'Sleep for one second before the menu click', true],
  ]

  for (const [attempt, plan, repeats] of cases)
    assert.equal(check(plan, attempt).verdict === 'repeat', repeats, `${attempt} / ${plan}`)
})

test('a number and one word that may mean another do not make a repeat', () => {
  const attempt = 'Oversampled the minority class ten times'
  const plan = 'Cache the ten hot SELECTs in the application with explicit invalidation'

  assert.notEqual(check(plan, attempt).verdict, 'repeat')
})

test('what is done with another tool is another plan', () => {
  assertTold(
    'Render the charts with plotly',
    ['Use plotly to render the charts', 'Render the charts using plotly'],
    ['Render the charts with vega', 'Use vega to render the charts'],
  )
  assertTold(
    'Use chokidar to watch the source folder',
    ['Add a chokidar watcher on the source directory', 'Watch the source folder with chokidar'],
    ['Use inotify directly to watch the source folder'],
  )
  assertTold(
    'Parse the HTML with a regular expression',
    ['Use a regex to parse the HTML', 'Parse HTML using regexes'],
    ['Parse the HTML with cheerio'],
  )
})
