import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Handoff } from '../domain/record.ts'

/** Records that are valid and such that are not, each with its first fault. */
export const CASES_FILE = join(import.meta.dirname, '../testdata/handoff-cases.json')

/** The first valid one. */
export const VALID: Handoff = JSON.parse(readFileSync(CASES_FILE, 'utf8'))[0].record
