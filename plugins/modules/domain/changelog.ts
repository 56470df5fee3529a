/** The part of a changelog between two versions. The text is that of strangers: it is only cut, never followed. */
import { withoutComments } from '../../../server/plugin.ts'
import { compareVersions, parseVersion, type Version } from './constraint.ts'

/** What a changelog says about the versions after one ref, up to another. */
export interface ChangelogPart {
  /** As their headings name them, in the order of the file. */
  readonly versions: readonly string[]
  readonly text: string
  /** Set: the text was too long, and only what its authors call breaking is here, or the beginning. */
  readonly shortened?: true
}

const MAX_TEXT_CHARS = 4_000
const MAX_LINES = 20_000
const MAX_VERSIONS = 200
const MAX_LINE_CHARS = 500

const HEADING = /^(#{1,4})[ \t]+(.*)$/
const VERSION =
  /^(?:<a [^>]{0,100}>[^<]{0,20}<\/a>[ \t]*)?(?:[Rr]elease[ \t]+|[Vv]ersion[ \t]+)?\[?(v?\d{1,9}(?:\.\d{1,9}){1,3}(?:[-+][0-9A-Za-z.-]{1,60})?)\]?(?=[\s()[\]:,]|$)/

interface Section {
  readonly version: string
  readonly lines: readonly string[]
}

/** Undefined where a ref is not a version, or where the changelog names none between them. */
export function changelogBetween(text: string, from: string, to: string): ChangelogPart | undefined {
  const [low, high] = [parseVersion(from), parseVersion(to)]
  if (low === undefined || high === undefined) return undefined
  const sections = sectionsOf(text).filter(({ version }) => isBetween(parseVersion(version), low, high))
  if (sections.length === 0) return undefined
  const whole = joined(sections)
  const versions = sections.map(({ version }) => version).slice(0, MAX_VERSIONS)
  if (whole.length <= MAX_TEXT_CHARS) return { versions, text: whole }
  const breaking = sections.map((section) => ({ ...section, lines: breakingLines(section.lines) }))
  const told = joined(breaking.filter(({ lines }) => lines.length > 1))
  return { versions, text: cut(told === '' ? whole : told), shortened: true }
}

function isBetween(version: Version | undefined, low: Version, high: Version): boolean {
  return version !== undefined && compareVersions(version, low) > 0 && compareVersions(version, high) <= 0
}

/** The versions that headings of one level name, with all lines up to the next of them. */
function sectionsOf(text: string): readonly Section[] {
  const sections: { version: string; lines: string[] }[] = []
  let inFence = false
  // What a reader of the rendered page would not see is not shown to a model either.
  for (const line of withoutComments(text).split(/\r?\n/, MAX_LINES)) {
    const isFence = /^\s*(?:```|~~~)/.test(line)
    const heading = inFence || isFence ? null : HEADING.exec(line.slice(0, MAX_LINE_CHARS))
    if (isFence) inFence = !inFence
    const version = heading === null ? undefined : VERSION.exec(heading[2] ?? '')?.[1]
    if (version !== undefined) {
      sections.push({ version, lines: [] })
      inFence = false
    }
    sections.at(-1)?.lines.push(line.slice(0, MAX_LINE_CHARS).trimEnd())
  }
  return sections
}

/** The heading, and what is below a heading of breaking changes or says so itself. */
function breakingLines([first = '', ...rest]: readonly string[]): readonly string[] {
  let isInside = false
  const kept = rest.filter((line) => {
    if (HEADING.test(line)) isInside = /breaking/i.test(line)
    return isInside || /\bbreaking\b|!:/i.test(line)
  })
  return [first, ...kept]
}

function joined(sections: readonly Section[]): string {
  return sections
    .map(({ lines }) =>
      lines
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
    )
    .join('\n\n')
}

/** Up to the last whole line that fits. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text
  const end = text.lastIndexOf('\n', MAX_TEXT_CHARS)
  return text.slice(0, end <= 0 ? MAX_TEXT_CHARS : end)
}
