import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../../server/plugin.ts'
import { leastCpuMsAtRest } from '../../../test/harness/cpu-time.ts'
import { HARD_TO_SCAN, SCAN_LIMIT_MS } from '../testing/hard-to-scan.ts'
import { findingRandomText, findSecrets, redactText } from './secrets.ts'

const secret = `ghp_${'a1B2'.repeat(9)}`

test('each kind of secret is found, and what only looks like one is not', () => {
  const found: readonly [string, string][] = [
    ['AKIAIOSFODNN7EXAMPLE', 'aws_key'],
    [secret, 'github_token'],
    [`github_pat_${'a1B2'.repeat(8)}`, 'github_token'],
    [`glpat-${'a1B2'.repeat(5)}`, 'gitlab_token'],
    ['xoxb-123456789012-abcdefghijkl', 'slack_token'],
    [`sk-ant-${'a1B2'.repeat(8)}`, 'anthropic_key'],
    [`sk-${'a1B2'.repeat(8)}`, 'api_key'],
    [`AIza${'a1B2c'.repeat(7)}`, 'google_key'],
    [`npm_${'a1B2'.repeat(9)}`, 'npm_token'],
    [`pypi-AgEIcHlwaS5vcmc${'a1B2'.repeat(9)}`, 'pypi_token'],
    [`hf_${'a1B2'.repeat(8)}`, 'huggingface_token'],
    [`123456789:AA${'a1B2c'.repeat(6)}a1B`, 'telegram_token'],
    [`MTIz${'a1B2'.repeat(5)}.Ga1B2c.${'a1B2'.repeat(9)}xy`, 'discord_token'],
    [`ODk0${'a1B2'.repeat(5)}.Ga1B2c.${'a1B2'.repeat(9)}xy`, 'discord_token'],
    [`a gsk_${'a1B2'.repeat(13)}`, 'groq_api_key'],
    [`https://a.example.net/c?sv=2022&sig=${'a1B2'.repeat(11)}%3D&se=2026`, 'azure_shared_access_signature'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'jwt'],
    ['https://user:pa55@example.org/x', 'url_user_info'],
    ['redis://:pa55word@localhost:6379/0', 'url_user_info'],
    ['https://a1b2c3d4e5f60718293a@example.org/x', 'url_user_info'],
    ['curl -u admin:Tr0ub4dor99x https://example.org', 'command_user'],
    ['curl --user "admin:Tr0ub4dor99x" https://example.org', 'command_user'],
    [`AccountName=x;AccountKey=Eby8vdM0${'2xNOcqFlqUwJPLlm'.repeat(4)}==;EndpointSuffix=y`, 'assigned_key'],
    ['export DB_PASS=Gk29xLm71Qz8', 'assigned_secret'],
    ['SMTP_PWD="Gk29xLm71Qz8"', 'assigned_secret'],
    ['MYSQL_PASSWD: Gk29xLm71Qz8', 'assigned_secret'],
    ['KEY_PASSPHRASE=Gk29xLm71Qz8', 'assigned_secret'],
    ['REGISTRY_AUTH=Gk29xLm71Qz8', 'assigned_secret'],
    ['APP_KEY=base64:SxYTyyx/zI26Gz53YcZW8IVwY1+GtVAsNkkBZOnTAYR=', 'assigned_key'],
    [`ENCRYPTION_KEY=${'1a2b3c4d5e6f7089'.repeat(4)}`, 'assigned_key'],
    [`CLOUD_TOKEN: ${'1a2b3c4d5e6f7089'.repeat(4)}`, 'assigned_secret'],
    ['kubeadm join 10.0.0.1:6443 --token a1b2c3.d4e5f6a7b8c9d0e1', 'command_secret'],
    ["sshpass -p 'Gk29xLm71' ssh host", 'command_secret'],
    ['redis-cli -h cache -p 6379 -a Gk29xLm71', 'command_secret'],
    ['docker login registry.example.org -u ci -p Gk29xLm71', 'command_secret'],
    ['mysql -h db -uroot -pGk29xLm71 app', 'command_secret'],
    ['machine example.org login ada password Gk29xLm71', 'netrc_password'],
    ['db.example.org:5432:orders:app:Gk29xLm71', 'pgpass_password'],
    [`K001${'a1B2/c3'.repeat(4).slice(1)}`, 'backblaze_application_key'],
    ['<password>Gk29xLm71Qz8</password>', 'element_secret'],
    [`Cookie: connect.sid=s%3A${'a1B2'.repeat(8)}.${'c3D4'.repeat(8)}`, 'cookie'],
    [`whsec_${'a1B2'.repeat(8)}`, 'stripe_webhook'],
    [
      `0.0a1b2c3d-1635-48a6-accd-0a1b2c3d4e5f.${'a1B2c3'.repeat(5)}:${'a1B2/c3+d4e'.repeat(2)}==`,
      'bitwarden_access_token',
    ],
    [`new Ably.Realtime('a1B2c3.d4E5f6:${'a1B2_c-3'.repeat(2)}')`, 'ably_api_key'],
    [`new Ably.Rest({ key: "a1B2c3.d4E5f6:${'a1B2_c-3'.repeat(5)}xyz" })`, 'ably_api_key'],
    [`ABLY_KEY=a1B2c3.d4E5f6:${'a1B2_c-3'.repeat(2)}`, 'ably_api_key'],
    ['Authorization: Bearer abcdefgh12345678', 'authorization'],
    ['DB_PASSWORD=Tr0ub4dor&3xyz', 'assigned_secret'],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----', 'private_key'],
    ['ｇｈｐ_a1B2a1B2a1B2a1B2a1B2a1B2', 'github_token'],
  ]
  for (const [text, rule] of found) {
    const findings = findSecrets({ note: `before ${text} after` })
    assert.deepEqual(
      findings.map((finding) => finding.rule),
      [rule],
      text,
    )
    assert.ok(findings[0] && findings[0].preview.length <= 12)
  }
  const innocent = [
    'token: budget',
    `12:AA${'a1B2c'.repeat(6)}a1B is short of digits`,
    'the file key-0123 and sig=Open&re_name_of_a_column_in_the_table, pa-per-and-other-words-that-are-joined',
    'the secret of good tests is patience',
    'd94f3f016ae679c3008de268209132f2a1b2c3d4',
    `sha256:${'ab'.repeat(32)}`,
    '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e3f',
    'password=$DB_PASSWORD',
    'token = process.env.API_TOKEN1',
    'git@github.com:org/repo.git',
    'https://example.org/a@b',
    'https://user@github.com/x/y',
    'https://Ada.Lovelace-99@git.example.org/x',
    'https://user:@example.org/x',
    'redis://:$REDIS_PASSWORD@localhost:6379',
    'PWD=/Users/Joe/Project-1',
    'PWD=C:\\Users\\Joe\\Project-1',
    'access_token_url: https://auth.Example1.com/oauth/token',
    'docker run -u 1000:1000 image',
    'docker run --user node:node image',
    'AccountKey=the key of the account',
    'DB_PASS=$(cat /run/secrets/db)',
    'the tests pass: src/auth/Login2.test.ts',
    'auth: OAuth2.0-PKCE',
    'REGISTRY_AUTH=/run/secrets/Registry1Auth',
    'bypass=Gk29-the-others',
    'whsec_ is the prefix of the key of a webhook',
    'secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbC123',
    'see arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbC123, version 2',
    'secret: projects/x-123/secrets/Db-Pass1/versions/3',
    'password = op://Private/Database1/password',
    'credentials: vault:secret/data/Prod1#key',
    'secret = secret/data/team-1/Db_Password',
    'src/components/token-provider/TokenProvider.tsx',
    'https://example.org/cb?token_type=Bearer&state=1&scope=a',
    'app_key: alias/prod-data-2024-01',
    'IDEMPOTENCY_KEY_DIGEST: 0123456789abcdef0123456789abcdef',
    'docker run -p 127.0.0.1:5432:5432 postgres',
    'docker login -u ci -p $' + '{DOCKER_TOKEN1}',
    'redis-cli -p 6379 -a $REDIS_PASS1',
    'mysql -h db1 -P 3306 -p app2_test',
    '--token $' + '{{ secrets.TOKEN_2024 }}',
    '--token my-service-token-v1.2.3',
    'the login form password reset123 link',
    '<Token>Keyword.Name.Function</Token>',
    'version 0.0a1b2c3d-1635-48a6-accd-0a1b2c3d4e5f.7 of the chart',
    'probably (server.module:exports-of-the-page)',
    'Cookie: consent=analytics%3A1%2Cads%3A0',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ]
  for (const text of innocent) assert.deepEqual(findSecrets({ ref: text, note: text }), [], text)
})

test('a secret in letters of another form is cut out of the text exactly', () => {
  const disguised = `ｇｈｐ_𝟏${'a1B2'.repeat(5)}`

  assert.equal(redactText(`ﬃ ½ e\u0301 ${disguised} ﬁn 🙂`), 'ﬃ ½ e\u0301 [REDACTED] ﬁn 🙂')
})

/** The bench judges the limit; a scan that takes more than linear time misses it by orders of magnitude. */
const TEST_LIMIT_MS = 5 * SCAN_LIMIT_MS

test('the worst megabyte is scanned in linear time', (t) => {
  const took = [...HARD_TO_SCAN].map(([unit, text]) => {
    return { unit: unit.slice(0, 16), ms: leastCpuMsAtRest(() => findSecrets({ text }), TEST_LIMIT_MS) }
  })

  took.sort((a, b) => b.ms - a.ms)
  t.diagnostic(`worst: ${took[0]?.unit} ${took[0]?.ms.toFixed(1)} ms`)
  assert.deepEqual(
    took.filter(({ ms }) => ms > TEST_LIMIT_MS),
    [],
  )
})

test('a path that git named is not called random, and a token in it is still found', () => {
  const random = 'vectors/Segment-0A1b2C3d4E5f6G7h8J9k0L'
  const token = `notes/ghp_${'a1B2'.repeat(9)}.txt`
  const record = {
    objective: random,
    project: { repository: { uncommitted: [{ path: random }, { path: token }] } },
  }

  const found = findSecrets(record).map(({ pointer }) => pointer)

  assert.deepEqual(atOnce(findingRandomText(record)), ['/objective'])
  assert.deepEqual(found, ['/project/repository/uncommitted/1/path'])
})

test('tokens are found behind any number of words that begin none', () => {
  const token = `gsk_${'a1B2'.repeat(13)}`
  for (const words of [0, 1, 10_001, 30_000]) {
    const text = `${token} ${'gsk_ '.repeat(words)}${token} gsk_ ${token}`
    assert.equal(findSecrets({ text }).length, 3, `${words} words`)
  }
})
