import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderTags } from './tag-order.ts'
import { createSeriesNames, newestTags, seriesKey } from './tag-series.ts'

const URL = 'https://git.example.com/team/mono.git'

test('a series is the text before the version, in any of its spellings', () => {
  const nameOf = createSeriesNames(URL)

  const rows: [tag: string, series: string | undefined][] = [
    ['vpc/v1.0.0', 'vpc'],
    ['vpc-1.0.0', 'vpc'],
    ['modules/VPC/1.0.0-rc1', 'vpc'],
    ['terraform-aws-vpc-1.0.0', 'aws-vpc'],
    ['refs/tags/net_work-v1', 'net-work'],
    ['stacks/vpc/v1.0.0', 'stacks-vpc'],
    ['net-work@1.0.0', 'net-work'],
    ['net_work_v1.0.0', 'net-work'],
    ['NETv1.0.0', 'net'],
    ['REL_v1.0.0', ''],
    ['v1.0.0', ''],
    ['release-1.0', ''],
    ['terraform-2.0.0', ''],
    ['mono-v1.0.0', ''],
    ['sic-jss', undefined],
  ]

  assert.deepEqual(
    rows.map(([tag]) => [tag, nameOf(tag)]),
    rows,
  )
  assert.equal(createSeriesNames('https://h/terraform-aws-vpc')('terraform-aws-vpc-1.0.0'), '')
  assert.equal(createSeriesNames('https://h/terraform-aws-vpc/')('vpc-1.0.0'), '')
  assert.equal(seriesKey('modules'), 'modules')
})

test('the newest stable tag of each series is among the newest tags', () => {
  const tags = ['db/v5.0.0', 'db/v4.0.0', 'db/v3.0.0', 'vpc/v1.0.0', 'vpc/v0.9.0', 'x/v9.0.0-rc1', 'old']

  assert.deepEqual(newestTags(tags, 1, URL), ['db/v5.0.0', 'vpc/v1.0.0'])
  assert.deepEqual(newestTags(tags, 3, URL), ['db/v5.0.0', 'db/v4.0.0', 'vpc/v1.0.0'])
  assert.deepEqual(newestTags(tags, Number.POSITIVE_INFINITY, URL), orderTags(tags))
})

test('of one series the newest tags are the first of its order', () => {
  for (const prefix of ['v', 'db/v', 'terraform-aws-vpc-', 'release-']) {
    const tags = ['1.0.0', '2.0.0', '10.0.0', '11.0.0-rc1', '3'].map((version) => `${prefix}${version}`)
    for (const most of [1, 2, 4]) {
      assert.deepEqual(newestTags(tags, most, URL), orderTags(tags).slice(0, most))
    }
  }
})
