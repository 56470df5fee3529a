import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPathSeries } from './path-series.ts'

const URL = 'https://git.example.com/team/mono.git'

/** The tags that speak for a path; undefined where none does, or where all are of one series. */
function speaking(tags: readonly string[], directories: readonly string[], path: string) {
  const readings = tags.map((ref) => ({ ref, ref_kind: 'tag' as const, directories: [...directories] }))
  const isOwn = createPathSeries(URL, readings)?.of(path)
  return isOwn && tags.filter(isOwn)
}

test('the tags of the component that a path names speak for it', () => {
  const rows: [tags: string[], directories: string[], path: string, expected: string[] | undefined][] = [
    [['db/v5.0.0', 'vpc/v1.0.0'], ['modules/db', 'modules/vpc'], 'modules/vpc', ['vpc/v1.0.0']],
    [['modules/db/v5.0.0', 'modules/vpc/v1.0.0'], ['modules/vpc'], 'modules/vpc', ['modules/vpc/v1.0.0']],
    [['terraform-aws-vpc-1.0.0', 'db-2.0.0'], ['modules/vpc'], 'modules/vpc', ['terraform-aws-vpc-1.0.0']],
    [['db-1.0.0', 'vpc-1.0.0'], ['terraform-aws-vpc'], 'terraform-aws-vpc', ['vpc-1.0.0']],
    [['net_work-v1.0.0', 'db-1.0.0'], ['net-work'], 'net-work', ['net_work-v1.0.0']],
    // inside of a component
    [['db/v1.0.0', 'vpc/v1.0.0'], ['modules/vpc/examples/all'], 'modules/vpc/examples/all', ['vpc/v1.0.0']],
    // the longest part of the path
    [['aws/vpc/v1.0.0', 'gcp/vpc/v2.0.0'], ['aws/vpc', 'gcp/vpc'], 'gcp/vpc', ['gcp/vpc/v2.0.0']],
    [['aws-vpc-1.0.0', 'gcp-vpc-2.0.0'], ['aws/vpc', 'gcp/vpc'], 'aws/vpc', ['aws-vpc-1.0.0']],
    // what names another directory exactly does not also name one that is called alike
    [['peering-vpc-1.0.0', 'db-1.0.0'], ['modules/vpc', 'modules/peering-vpc'], 'modules/vpc', undefined],
    // else those without a component
    [['db/v5.0.0', 'v1.0.0', 'release-2.0.0'], ['db', 'vpc'], 'vpc', ['v1.0.0', 'release-2.0.0']],
    [['db/v5.0.0', 'v1.0.0'], ['.', 'db'], '.', ['v1.0.0']],
    [['db/v5.0.0', 'queue/v1.0.0'], ['db', 'vpc'], 'vpc', undefined],
    [['db/v5.0.0', 'queue/v1.0.0'], ['.', 'db'], '.', undefined],
    // two that are alike
    [['a-vpc-1.0.0', 'b-vpc-1.0.0'], ['vpc'], 'vpc', undefined],
  ]

  for (const [tags, directories, path, expected] of rows) {
    assert.deepEqual(speaking(tags, directories, path), expected, `${tags.join(' ')}: ${path}`)
  }
})

test('a repository with one series has none to tell apart', () => {
  for (const tags of [
    ['v1.0.0', 'release-2.0.0', 'mono-3.0.0', 'sic-jss'],
    ['vpc/v1.0.0', 'vpc-v2.0.0'],
    [],
  ]) {
    const readings = tags.map((ref) => ({ ref, ref_kind: 'tag' as const, directories: ['db', 'vpc'] }))
    assert.equal(createPathSeries(URL, readings), undefined)
  }
})
