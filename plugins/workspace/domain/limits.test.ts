import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LIMITS } from './limits.ts'

const PLUGIN = join(import.meta.dirname, '..')

function productTexts(): readonly string[] {
  return readdirSync(PLUGIN, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|^testing\/|limits\.ts$/.test(name))
    .map((name) => readFileSync(join(PLUGIN, name), 'utf8'))
}

/** Words that say the kind of a number, not what it limits. */
const KINDS: ReadonlySet<string> = new Set(
  'max min ms bytes chars minutes hours seconds rows texts per kept'.split(' '),
)

function wordsOf(name: string): readonly string[] {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
  return words
    .map((word) => word.replace(/s$/, ''))
    .filter((word) => !KINDS.has(word) && !KINDS.has(`${word}s`))
}

/** Limits that no source reads, and constants that repeat the number of one under a similar name. */
function limitFaults(
  limits: Readonly<Record<string, number>>,
  sources: readonly string[],
): readonly string[] {
  const names = Object.keys(limits)
  const unread = names.filter((name) => !sources.some((text) => text.includes(`LIMITS.${name}`)))
  const constants = sources.flatMap((text) => [
    ...text.matchAll(/^(?:export )?const (\w+) = ([\d_ *]+)(?: \/\/.*)?$/gm),
  ])
  const repeated = constants.flatMap(([, constant = '', product = '']) => {
    const value = product.split('*').reduce((total, factor) => total * Number(factor.replaceAll('_', '')), 1)
    const twin = names.find(
      (name) => limits[name] === value && wordsOf(name).some((word) => wordsOf(constant).includes(word)),
    )
    return twin === undefined ? [] : [`${constant} repeats ${twin}`]
  })
  return [...unread.map((name) => `nothing reads ${name}`), ...repeated]
}

test('every limit is read by the product, and no constant repeats one', () => {
  assert.deepEqual(limitFaults(LIMITS, productTexts()), [])
})

test('a limit that nothing reads and a constant that repeats one are found', () => {
  const planted = [
    'if (count > LIMITS.documentBytes) throw tooLarge()',
    'export const DOCUMENT_MAX_BYTES = 4 * 1024 * 1024 // also here',
    'const DOCUMENT_LOOKS = 10',
    'const RETRY_MS = 5_000',
  ]

  const faults = limitFaults({ documentBytes: 4 * 1024 * 1024, retryMs: 5000 }, planted)

  assert.deepEqual(faults, [
    'nothing reads retryMs',
    'DOCUMENT_MAX_BYTES repeats documentBytes',
    'RETRY_MS repeats retryMs',
  ])
})

test('the numbers of the specification and the design hold', () => {
  const { eventsKept, eventSummaryChars, documentResourceBytes, retryMs } = LIMITS
  const { storedSummaryChars, requestBodyBytes, documentBytes, proposalBytes, handoffRecordBytes } = LIMITS
  const { liveSessions, pendingProposalsPerParticipant, nameChars, targetChars } = LIMITS
  const { leaseMinutes, leaseMaxMinutes, inviteMinutes, inviteMaxMinutes, sessionMinutes } = LIMITS

  assert.deepEqual(
    [eventsKept, eventSummaryChars, documentResourceBytes, retryMs],
    [2000, 240, 1_048_576, 5000],
  )
  assert.deepEqual(
    [storedSummaryChars, requestBodyBytes, documentBytes, proposalBytes, handoffRecordBytes],
    [2000, 1_048_576, 4_194_304, 262_144, 262_144],
  )
  assert.deepEqual([liveSessions, pendingProposalsPerParticipant, nameChars, targetChars], [32, 100, 80, 512])
  assert.deepEqual([LIMITS.callsPerMinute, LIMITS.joinsPerMinute], [600, 10])
  assert.deepEqual([leaseMinutes, leaseMaxMinutes, inviteMinutes, inviteMaxMinutes], [15, 120, 60, 10_080])
  assert.deepEqual(
    [sessionMinutes, LIMITS.observeStreamsPerSession, LIMITS.observeStreamsPerRoom],
    [480, 16, 256],
  )
})
