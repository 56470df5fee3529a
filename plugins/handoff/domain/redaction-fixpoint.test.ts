import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../../server/plugin.ts'
import { openTestProject, SMALL } from '../testing/fixture.ts'
import { redactingValue } from './redaction.ts'
import { findSecrets, redactText } from './secrets.ts'

const GITHUB = `ghp_${'a1B2'.repeat(9)}`
const STRONG = 'Tr0ub4dor&3xyzzy'

/** Texts whose replacement is where a rule expects a secret. */
const AROUND_A_SECRET = [
  `https://${STRONG}@example.org/x`,
  `https://user:${STRONG}@example.org/x`,
  `postgres://app:${STRONG}@db:5432/main`,
  `Authorization: Bearer ${GITHUB}`,
  `Authorization: ${STRONG}`,
  `authorization: token ${GITHUB}`,
  `DB_PASSWORD=${STRONG} and API_TOKEN1="${GITHUB}"`,
  `curl -u admin:${STRONG} https://example.org`,
  `DB_PASS=${STRONG}`,
  `REGISTRY_AUTH="${STRONG}"`,
  `arn:aws:secretsmanager:eu-west-1:123456789012:secret:a password=${STRONG}`,
  `password: x${GITHUB}y${STRONG}`,
  `token=${GITHUB}${STRONG}`,
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----',
]

test('what redaction wrote is never a secret', () => {
  for (const text of AROUND_A_SECRET) {
    const once = redactText(text)

    assert.notEqual(once, text)
    assert.ok(!once.includes(STRONG) && !once.includes(GITHUB), once)
    assert.equal(redactText(once), once)
    const { value } = atOnce(redactingValue({ note: text, password: text }))
    assert.deepEqual(findSecrets(value), [], JSON.stringify(value))
  }
})

test('a second redaction of any record finds nothing, in texts, names and the ledger', () => {
  const piece = fc.constantFrom(
    ...AROUND_A_SECRET,
    GITHUB,
    STRONG,
    'password=',
    'arn:aws:ssm:a:1:',
    'op://',
    ' -u ',
    'auth=',
    'token: ',
    'secret',
    '[REDACTED]',
    '://',
    'a:',
    '@',
    '"',
    ' ',
    '\n',
    'ﬁ',
    'Bearer ',
    'AKIAIOSFODNN7EXAMPLE',
    'sk-',
    'plain words',
  )
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  const name = fc.oneof(fc.constantFrom('password', 'api_key', 'note', 'ref'), text)
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  }))

  fc.assert(
    fc.property(value, (record) => {
      const first = atOnce(redactingValue({ record }))
      const written = { ...first.value, redactions: first.ledger }

      assert.deepEqual(findSecrets(written), [])
    }),
    { numRuns: 500 },
  )
})

test('variables and masks are kept', () => {
  const kept = [
    'curl -H "Authorization: Bearer $GITHUB_TOKEN"',
    'Authorization: Bearer $\u007bGITHUB_TOKEN1}',
    'https://x-access-token:$GITHUB_TOKEN1@github.com/a/b',
    'https://user:***@example.org/',
    'https://user:xxxxx@example.org/',
    'password=os.environ["DB_PASSWORD1"]',
    'token: process.env.API_TOKEN1',
    'token: $\u007b{ secrets.DEPLOY_TOKEN1 }}',
    'api_key = {{API_KEY_1}}',
    'secret: <your-Secret-1-here>',
    'Authorization: Bearer <redacted>',
  ]
  for (const text of kept) assert.equal(redactText(text), text)
})

test('a redacted record becomes ready, is exported and is imported by another store', async (t) => {
  const [first, second] = [await openTestProject(t), await openTestProject(t)]
  const { id, redactions } = await first.call('handoff_create', {
    ...SMALL,
    current_state: AROUND_A_SECRET.join('\n'),
    completed: AROUND_A_SECRET,
    constraints: ['https://user:$DB_PASSWORD@example.org stays as it is'],
    extra: { password: `x${GITHUB}`, [`api ${GITHUB}`]: 1 },
    open_items: [{ description: 'Rotate', priority: 'high', suggested_action: 'Rotate the key' }],
  })

  assert.ok(redactions.length > AROUND_A_SECRET.length)
  await first.call('handoff_transition', { id, to: 'validated' })
  const { to } = await first.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  assert.equal(to, 'ready')
  for (const format of ['md', 'json', 'jsonl']) {
    const { content } = await first.call('handoff_export', { id, format })
    const { results } = await second.call('handoff_import', { content })
    assert.match(results[0].outcome, /^(?:imported|same)$/, format)
  }
  assert.equal(second.read(`.handoffs/records/${id}.json`), first.read(`.handoffs/records/${id}.json`))
})
