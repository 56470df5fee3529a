import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describe, openingOf } from './description.ts'
import { findLicences, licenceId } from './licence.ts'
import { findReadme, README_MAX_BYTES, readmeText } from './readme.ts'

const PROSE = 'Creates a private network with NAT gateways in every zone.'

function fromReadme(...lines: string[]): string {
  return describe({ readme: openingOf(lines.join('\n')), topComments: [] })
}

const NO_PROSE: Readonly<Record<string, string>> = {
  'front matter': '---\ntitle: A title that is long enough to be prose\n---',
  'an HTML comment': '<!-- a comment that is long enough to be prose\nover lines -->',
  'generated docs':
    '<!-- BEGIN_TF_DOCS -->\nGenerated text that is long enough to be prose.\n<!-- END_TF_DOCS -->',
  'generated docs of the old hook':
    '<!-- BEGINNING OF PRE-COMMIT-TERRAFORM DOCS HOOK -->\nGenerated text, long enough.\n<!-- END OF PRE-COMMIT-TERRAFORM DOCS HOOK -->',
  'a banner':
    '<a href="https://example.com">\n<img alt="A banner with many words in its alt text" src="x.png">\n</a>',
  'a centred title': '<div align="center"><h1>A title that is long enough to be prose</h1></div>',
  badges:
    '[![A badge with many words](https://example.com/a.svg)](https://example.com) ![another badge](b.svg)',
  'a heading': '## A heading that is long enough to be prose',
  'an underlined heading': 'A heading that is long enough to be prose\n=====',
  'links in a list':
    '- [A link with a long enough text](https://example.com)\n* https://example.com/a/very/long/address',
  'a line of links':
    '[Documentation of the module](https://example.com) | [Examples of the module](https://example.com)',
  'a table':
    '| Name | Description that is long enough |\n|------|------|\n| a | words that are long enough here |',
  'a table without edges':
    'Name | Description that is long enough\n--- | ---\na | words that are long enough here',
  'a fence': '```sh\nterraform init and apply everything here\n```',
  'a fence of tildes': '~~~\n``` not the end of this fence here\n~~~',
  'indented code': '    terraform init and apply everything here',
  'a quote': '> A quotation that is long enough to be prose',
  'a rule': '#####################################',
  'a link definition': '[docs]: https://example.com/a/very/long/address "A title"',
  'a directive': '.. image:: https://example.com/a/very/long/address.png',
  'too few words': 'A module.',
}

for (const [what, text] of Object.entries(NO_PROSE)) {
  test(`${what} is not a description; the prose behind it is`, () => {
    assert.equal(fromReadme(text, '', PROSE), PROSE)
  })
}

test('a title inside generated docs is its author’s, with the prose up to the next heading', () => {
  const fence = ['```hcl', '# A comment of the code that is long enough', '```']
  const generated = (...lines: string[]): string =>
    fromReadme('<!-- BEGIN_TF_DOCS -->', '<!-- DO NOT EDIT. -->', ...lines, '<!-- END_TF_DOCS -->')
  const tables = ['## Requirements', '', 'These requirements are long enough to be prose.']

  assert.equal(generated('# Storage', '', PROSE, '', ...tables), PROSE)
  assert.equal(generated('# Storage', '', ...fence, '', PROSE, '', ...tables), PROSE)
  assert.equal(generated('# Storage accounts', '', ...tables), 'Storage accounts')
  assert.equal(generated(...tables, '', '# Storage', PROSE), '')
})

test('links become their text, bold loses its stars, white space is collapsed', () => {
  const description = fromReadme(
    'A **bold** [link](https://example.com/a_(b)) and [another][ref]',
    '  over two\tlines &amp; more.',
  )

  assert.equal(description, 'A bold link and another over two lines & more.')
})

test('a list behind a colon belongs to its sentence', () => {
  const readme = [
    'Configuration in this directory creates:',
    '',
    '- A cluster of two',
    '- One `queue`',
    '',
    'More words.',
  ]

  assert.equal(
    fromReadme(...readme),
    'Configuration in this directory creates: A cluster of two; One `queue`',
  )
})

test('a long description is cut at a word within 600 characters', () => {
  const description = fromReadme('word '.repeat(200))

  assert.equal(description, 'word '.repeat(120).trimEnd())
})

test('without prose the top comment speaks, without licence, rules, directives and what is said of the file', () => {
  const ofTheFile =
    'ONLY EDIT THIS FILE IN another repository.\n\nFetch it from there with a long command line.'
  const comment = [
    'Copyright 2024 The Authors',
    '',
    'Licensed under the Apache License; you may not use this file except in compliance.',
    '##############',
    'tflint-ignore: terraform_unused',
    'Keeps queues and the alarms on them.',
  ].join('\n')

  const description = describe({ readme: openingOf('# Title\n'), topComments: ['short', ofTheFile, comment] })

  assert.equal(description, 'Keeps queues and the alarms on them.')
})

test('without prose and comments the first heading of two words speaks, else nothing', () => {
  assert.equal(fromReadme('# title', '## Queue module', 'Short.'), 'Queue module')
  assert.equal(fromReadme('# title', 'Short.'), '')
})

test('a README is found in any spelling, Markdown first', () => {
  assert.equal(findReadme(['main.tf', 'readme', 'ReadMe.MD', 'README.txt']), 'ReadMe.MD')
  assert.equal(findReadme(['README.rst', 'README.adoc']), 'README.rst')
  assert.equal(findReadme(['README.md.bak', 'xREADME.md']), undefined)
})

test('a stored README ends at 256 KiB, never inside a character', () => {
  const text = readmeText(Buffer.from(`a${'é'.repeat(README_MAX_BYTES)}`))

  assert.equal(text, `a${'é'.repeat(README_MAX_BYTES / 2 - 1)}`)
})

test('licences are known by their first lines', () => {
  const licences = {
    'MIT License\n\nCopyright': 'MIT',
    '                                 Apache License\n                           Version 2.0, January 2004':
      'Apache-2.0',
    'Mozilla Public License Version 2.0\n=====': 'MPL-2.0',
    'GNU LESSER GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007': 'LGPL-3.0-only',
    'Redistribution and use in source and binary forms ... Neither the name of': 'BSD-3-Clause',
    'Redistribution and use in source and binary forms': 'BSD-2-Clause',
    'SPDX-License-Identifier: EUPL-1.2': 'EUPL-1.2',
    'All rights reserved.': undefined,
  }

  for (const [text, id] of Object.entries(licences)) assert.equal(licenceId(Buffer.from(text)), id)
  assert.deepEqual(findLicences(['LICENSE', 'licence.md', 'COPYING.txt', 'licenses.tf', 'main.tf']), [
    'COPYING.txt',
    'LICENSE',
    'licence.md',
  ])
})
