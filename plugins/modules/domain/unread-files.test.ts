import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkWhole } from './check.ts'
import type { Diagnostic } from './summary.ts'
import { unreadFiles } from './unread-files.ts'

const LARGE: Diagnostic = {
  ...{ severity: 'error', code: 'file_too_large', file: 'variables.tf' },
  message: 'The file is larger than 1 MiB and was not read.',
}

test('files are told that are not in a summary: not a README, nor a file with warnings', () => {
  const diagnostics: Diagnostic[] = [
    LARGE,
    { ...LARGE, code: 'parse_error', line: 3 },
    { severity: 'error', code: 'blob_missing', message: '', file: 'README.md' },
    { severity: 'warning', code: 'not_utf8', message: '', file: 'main.tf' },
    { severity: 'error', code: 'duplicate_block', message: '', file: 'twice.tf' },
    { severity: 'warning', code: 'symlink_skipped', message: '', file: 'linked.tf' },
  ]

  assert.deepEqual(
    unreadFiles({ diagnostics }).map(({ file, code }) => [file, code]),
    [
      ['variables.tf', 'file_too_large'],
      ['linked.tf', 'symlink_skipped'],
    ],
  )
})

test('a call of a module that was not read whole is said not to be checked, with the first reason', () => {
  const block = { name: 'a', line: 1, source: { text: './a', line: 2 }, inputs: [] }

  const found = checkWhole(block, { diagnostics: [LARGE] }, ['more.tf'])

  assert.deepEqual(found, [
    {
      ...{ line: 2, code: 'module_not_whole' },
      message:
        'The module was not read whole, so the arguments were not checked. more.tf: it could not be read (and 1 more)',
    },
  ])
  assert.deepEqual(checkWhole(block, { diagnostics: [] }), [])
})
