import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { summaryFileName } from '../output/file-name.ts'
import { moduleId } from '../output/module-index.ts'
import { isStableTag, orderTags } from './tag-order.ts'

test('stable versions come newest first, then pre-releases, aliases and all other tags', () => {
  const tags = [
    'v5',
    'sic-jss',
    'v1.01',
    '4.0',
    'v0.9',
    '10.0.0-beta2',
    'v4.0.0-rc1',
    'v0',
    'v10.2.3',
    'v2.10.0',
  ]
  const more = ['v2.9.0', '1.2.3.4', '1.2.3', 'mod/v3.1.0', 'terraform-2.0.0', 'v4.0.0-rc.2', 'v4.0.0-rc.10']

  assert.deepEqual(orderTags([...tags, ...more]), [
    'v10.2.3',
    '4.0',
    'mod/v3.1.0',
    'v2.10.0',
    'v2.9.0',
    'terraform-2.0.0',
    '1.2.3.4',
    '1.2.3',
    'v1.01',
    'v0.9',
    '10.0.0-beta2',
    'v4.0.0-rc1',
    'v4.0.0-rc.10',
    'v4.0.0-rc.2',
    'v5',
    'v0',
    'sic-jss',
  ])
  assert.deepEqual(['v1.0.0', 'v1', '1.0-rc1', 'x'].map(isStableTag), [true, false, false, false])
})

test('a prefix may have hyphens: the newest stable version comes first', () => {
  const rows: [tags: string[], ordered: string[]][] = [
    [
      ['terraform-aws-vpc-1.0.0', 'terraform-aws-vpc-2.0.0', 'terraform-aws-vpc-10.0.0'],
      ['terraform-aws-vpc-10.0.0', 'terraform-aws-vpc-2.0.0', 'terraform-aws-vpc-1.0.0'],
    ],
    [
      ['net-work-v0.1.0', 'net-work-v1.9.0', 'net-work-v1.10.0', 'net-work-v2.0.0-rc.1', 'net-work-v1'],
      ['net-work-v1.10.0', 'net-work-v1.9.0', 'net-work-v0.1.0', 'net-work-v2.0.0-rc.1', 'net-work-v1'],
    ],
    [
      ['modules/net-work-1.2.0', 'modules/net-work-1.10.0', 'ec2-node-1.1.0+build'],
      ['modules/net-work-1.10.0', 'modules/net-work-1.2.0', 'ec2-node-1.1.0+build'],
    ],
    // other signs before the version, and capitals without one
    [
      ['net-work@1.9.0', 'net-work@1.10.0', '@team/net@1.2.0', 'vpc@2', 'vpc@1.0.0-rc.1', 'x'],
      ['net-work@1.10.0', 'net-work@1.9.0', '@team/net@1.2.0', 'vpc@1.0.0-rc.1', 'vpc@2', 'x'],
    ],
    [
      ['net_work_v1.9.0', 'net_work_v1.10.0', 'release_1.2.0', 'release_1_3'],
      ['net_work_v1.10.0', 'net_work_v1.9.0', 'release_1.2.0', 'release_1_3'],
    ],
    [
      ['NETv1.9.0', 'NETv1.10.0', 'dev9.0', 'DEV9.0', 'modules/DBv1.2.0', 'NETv2.0.0-rc1'],
      ['NETv1.10.0', 'NETv1.9.0', 'modules/DBv1.2.0', 'NETv2.0.0-rc1', 'dev9.0', 'DEV9.0'],
    ],
  ]

  for (const [tags, ordered] of rows) assert.deepEqual(orderTags(tags), ordered)
  assert.equal(isStableTag('terraform-aws-s3-bucket-1.0.0'), true)
})

test('words and days are names, not versions: the highest comes first', () => {
  const names = [
    'sic-jss',
    'nightly-build-2024-01-02',
    'nightly-build-2024.01.02',
    'nightly_2024.01.02',
    'draft-plan-2',
    'build-of-9',
  ]

  assert.deepEqual(names.filter(isStableTag), [])
  assert.deepEqual(orderTags([...names, 'build-of-10', 'v0.1.0']), [
    'v0.1.0',
    'sic-jss',
    'nightly_2024.01.02',
    'nightly-build-2024.01.02',
    'nightly-build-2024-01-02',
    'draft-plan-2',
    'build-of-10',
    'build-of-9',
  ])
})

test('the order of tags does not depend on the order they come in', () => {
  const tag = fc.oneof(
    fc.stringMatching(/^v?\d{1,3}(\.\d{1,2}){0,3}(-[a-z0-9.]{1,5})?$/),
    fc.string({ minLength: 1 }),
  )
  fc.assert(
    fc.property(fc.uniqueArray(tag, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (tags, random) => {
      const shuffled = tags.map((t) => [random.next().value, t] as const).sort((a, b) => a[0] - b[0])
      assert.deepEqual(orderTags(shuffled.map(([, t]) => t)), orderTags(tags))
    }),
  )
})

test('file names are the plain name and ref, and hashed where that would change or collide', () => {
  const file = (name: string, ref: string, path: string, taken: string[] = []) => {
    const named = { id: moduleId('https://h/x', ref, path), name, ref, path }
    return summaryFileName(named, (lower) => taken.includes(lower)).replace(/-[0-9a-f]{8}\.json$/, '-#.json')
  }

  const plainly = (name: string, ref: string): string => {
    const id = moduleId('https://h/x', ref, '.')
    return summaryFileName({ id, name, ref, path: '.' }, () => false)
  }

  assert.equal(file('vpc', 'v1.0.0', '.'), 'vpc_v1.0.0.json')
  assert.equal(file('vpc', 'main', 'modules/a'), 'vpc_main_modules_a-#.json')
  assert.equal(file('vpc', 'feature/x', '.'), 'vpc_feature_x-#.json')
  assert.equal(file('vpc', 'feature_x', '.'), 'vpc_feature_x.json')
  assert.equal(file('vpc', 'A', '.', ['vpc_a.json']), 'vpc_A-#.json')
  assert.equal(file('vpc', 'v1', 'sub'), 'vpc_v1_sub.json')
  assert.match(file('vpc', 'a/b', '.', [plainly('vpc', 'a/b')]), /^vpc_a_b-[0-9a-f]{64}\.json$/)
  assert.match(file('..', '../../etc/passwd', '.'), /^[A-Za-z0-9_+-][A-Za-z0-9._+-]*-#\.json$/)
  assert.ok(Buffer.byteLength(file('v', 'x'.repeat(255), '.')) < 140)
  assert.equal(file('con', '', '.'), 'con_.json')
})
