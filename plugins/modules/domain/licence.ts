/** SPDX ids from licence texts. */
import { onceFor } from '../../../server/plugin.ts'

const MAX_CHARS = 4_000

/** Tried in order: the more specific text first. */
const LICENCES: readonly (readonly [RegExp, string])[] = [
  [/gnu affero general public license.{0,80}version 3/i, 'AGPL-3.0-only'],
  [/gnu lesser general public license.{0,80}version 3/i, 'LGPL-3.0-only'],
  [/gnu lesser general public license.{0,80}version 2\.1/i, 'LGPL-2.1-only'],
  [/gnu general public license.{0,80}version 3/i, 'GPL-3.0-only'],
  [/gnu general public license.{0,80}version 2/i, 'GPL-2.0-only'],
  [/apache license.{0,80}version 2\.0/i, 'Apache-2.0'],
  [/mozilla public license.{0,40}2\.0/i, 'MPL-2.0'],
  [/business source license 1\.1/i, 'BUSL-1.1'],
  [/eclipse public license.{0,10}2\.0/i, 'EPL-2.0'],
  [/european union public licence.{0,20}1\.2/i, 'EUPL-1.2'],
  [/creative commons.{0,80}cc0|cc0 1\.0 universal/i, 'CC0-1.0'],
  [/this is free and unencumbered software/i, 'Unlicense'],
  [/mit no attribution/i, 'MIT-0'],
  [/permission is hereby granted, free of charge|^\s*(?:the )?mit license/i, 'MIT'],
  [/redistribution and use in source.{0,1500}neither the name/i, 'BSD-3-Clause'],
  [/redistribution and use in source/i, 'BSD-2-Clause'],
  [/permission to use, copy, modify, and\/or distribute/i, 'ISC'],
]

/** The names that may hold the licence among the regular files of one directory: `LICENSE*`, `LICENCE*`, `COPYING*`. */
export function findLicences(names: readonly string[]): string[] {
  return names.filter((name) => /^(?:licen[cs]e|copying)(?:$|[.\-_])/i.test(name)).sort()
}

/** The SPDX id that the first lines of a licence text show, or undefined. */
export const licenceId: (bytes: Uint8Array) => string | undefined = onceFor((bytes) => {
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_CHARS)).replace(/\s+/g, ' ')
  const stated = /SPDX-License-Identifier:\s*([A-Za-z0-9.+-]+)/.exec(text)?.[1]
  if (stated !== undefined) return stated
  return LICENCES.find(([pattern]) => pattern.test(text))?.[1]
})
