import assert from 'node:assert/strict'
import { test } from 'node:test'
import { correctedConstraint, isConstraint } from './constraint-syntax.ts'

test('what Terraform cannot read as a constraint is none, and is corrected where its meaning is plain', () => {
  const texts: readonly [text: string, corrected?: string][] = [
    ['^1.2', '~> 1.2'],
    ['^1', '~> 1.0'],
    ['^1.2.0', '~> 1.2'],
    ['^1.2.3', '~> 1.2, >= 1.2.3'],
    ['^0.2.3', '~> 0.2.3'],
    ['^0.2', '~> 0.2.0'],
    ['^0.0.3', '0.0.3'],
    ['~1.2', '~> 1.2.0'],
    ['~1.2.3', '~> 1.2.3'],
    ['1.x', '~> 1.0'],
    ['1.2.*', '~> 1.2.0'],
    ['=> 1.0', '>= 1.0'],
    ['> = 1.0', '>= 1.0'],
    ['== 1.0', '= 1.0'],
    ['>= 1.0 <= 2.0', '>= 1.0, <= 2.0'],
    ['>=1.2,', '>=1.2'],
    ['latest'],
    ['*'],
    [''],
    [' '],
    ['1.2.'],
    ['>= 1.x'],
    ['>= 1.0 || ^2'],
  ]

  for (const [text, corrected] of texts) {
    assert.equal(isConstraint(text), false, text)
    assert.equal(correctedConstraint(text), corrected, text)
  }
})

test('what Terraform reads as a constraint is one', () => {
  const texts = [
    ...['1.2', 'v1.2', '~>1', '>= v1', '1.2.3.4.5', ' >= 1.0 , < 2.0 ', '!= 3.0.0-rc1'],
    ...['3.0.0-rc1', '3.0.0rc1', '3.0.0-rc.1+b.2', '1.0.0+b', '1.0-', '20240101120000'],
  ]

  for (const text of texts) assert.ok(isConstraint(text), text)
})
