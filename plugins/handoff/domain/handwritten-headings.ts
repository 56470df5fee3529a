/** What the lines below a heading are. */
export type Section =
  | 'objective'
  | 'state'
  | 'context'
  | 'done'
  | 'progress'
  | 'next'
  /** Work after the next steps, and items with an open box in sections that do not list what is to be done. */
  | 'later'
  | 'questions'
  | 'decisions'
  | 'failed'
  /** Attempts of which the heading does not say what came. */
  | 'tried'
  | 'learned'
  | 'constraints'
  | 'criteria'
  | 'risks'
  | 'files'
  /** Files, and what was done. */
  | 'changes'

/** A heading whose entries must not be done: each says so itself, or has the heading before it. */
export const FORBIDS =
  /\b(?:(?:non|anti)-?goals?|(?:out of|not in) scope|off[- ]limits|hands off|(?:must|may|should) not|mustn'?t|shouldn'?t|not (?:to do|allowed)|never|don'?ts?|do not|forbidden|prohibited)\b/i

/** The first pattern that a heading matches decides: "What did not work" before "What worked", "Open questions" before "Open". */
const HEADINGS: readonly (readonly [RegExp, Section])[] = [
  [/\b(?:definition of done|acceptance|criteria|done when|success looks like)\b/i, 'criteria'],
  [/\b(?:do not|don'?t) (?:re-?try|try|repeat)\b/i, 'failed'],
  [FORBIDS, 'constraints'],
  [/\b(?:goals?|objectives?|purpose|mission)\b/i, 'objective'],
  [/\b(?:questions?|unknowns|unclear|blockers?|blocked|known (?:issues|bugs|problems|gaps))\b/i, 'questions'],
  [/^[^\p{L}]*(?:issues|bugs|problems)[^\p{L}]*$/iu, 'questions'],
  [
    /\b(?:not (?:yet )?(?:done|started|completed?|finished|implemented|fixed|tested|verified|merged)|to be (?:done|completed|finished)|unfinished|incomplete|undone|pending|outstanding)\b/i,
    'next',
  ],
  [
    /\b(?:failed|failures|dead ends?|(?:did not|does not|doesn'?t|didn'?t) work|not worked|avoid|rejected|abandoned|ruled out|reverted|unsuccessful)\b/i,
    'failed',
  ],
  [/(?:(?:\bnot|\bnever|n't) (?:yet )?(?:been )?(?:tried|attempted)|\buntried|\bto try)\b/i, 'later'],
  [/\b(?:tried|attempts|attempted)\b(?! to\b)/i, 'tried'],
  [/\bworked|what works\b/i, 'learned'],
  [/\bin[ -]progress|under way|doing\b/i, 'progress'],
  [/\b(?:next|to-?dos?|remaining|steps|action items?|left to do|what(?:'s| is) left)\b/i, 'next'],
  [
    /\b(?:backlog|queued?|upcoming|roadmap|future|horizon|later|deferred|follow-?ups?|nice to haves?|(?:needed|proposed|planned) changes|changes (?:needed|to make))\b/i,
    'later',
  ],
  [/\b(?:status|current state|state|where (?:we|things) are|tl;?dr)\b/i, 'state'],
  [
    /\b(?:done|completed|finished|accomplished|progress|shipped|landed|delivered|merged|implemented)\b|\bfixed(?: bugs| issues|\W*$)/i,
    'done',
  ],
  [
    /\b(?:recent|latest|key|main) changes\b|\bchanges (?:made|in this)\b|\bwhat (?:has |was )?changed\b/i,
    'changes',
  ],
  [/^[^\p{L}]*changes[^\p{L}]*$/iu, 'changes'],
  [/\bopen\b/i, 'next'],
  [/\bdecisions?\b/i, 'decisions'],
  [/\b(?:constraints?|rules|requirements|must)\b/i, 'constraints'],
  [
    /\b(?:gotchas?|pitfalls?|caveats?|limitations?|watch out|surprises|quirks|learned|learnings|lessons|findings)\b/i,
    'learned',
  ],
  [
    /\b(?:insights?|discoveries|notes?|tips|warnings?|reminders?|beware|good to know|things to know)\b/i,
    'learned',
  ],
  [/\brisks?\b/i, 'risks'],
  [/\b(?:files|artifacts|changes)\b/i, 'files'],
  [/\b(?:context|background|overview|summary|introduction|about)\b/i, 'context'],
]

/** The section that a heading begins; undefined for one that is not known. */
export function sectionOf(heading: string): Section | undefined {
  const plain = heading.replaceAll('\u2019', "'")
  return HEADINGS.find(([pattern]) => pattern.test(plain))?.[1]
}

/**
 * The section that a heading begins, and its first entry where the heading has one after a colon or a dash: `Decision 2: Keep
 * the API` is a decision. What is a heading by itself after that ("Status: in progress") speaks of what comes below, unless
 * the section around it (`within`) has such entries.
 */
export function headingParts(
  heading: string,
  within: Section | undefined,
): { readonly section: Section | undefined; readonly label: string; readonly entry: string } {
  const { label = '', entry = '' } = WITH_ENTRY.exec(heading)?.groups ?? {}
  const section = label === '' ? undefined : sectionOf(label)
  if (section && (section === within || sectionOfLabel(entry) === undefined)) return { section, label, entry }
  return { section: sectionOf(heading), label: heading, entry: '' }
}

/** An entry has a word that is not in brackets: a date and `(in order)` are none. */
const WITH_ENTRY = /^(?<label>[^:]{2,60}?)(?::|\s+[-\u2013\u2014])\s+(?<entry>(?![\s([]).*\p{L}{3}.*)$/u

/**
 * The section that a line of text before a list begins: of "Next steps:" and of "Things that are not in scope:". A sentence
 * such as "These tests failed with:" begins none.
 */
export function sectionOfLabel(label: string): Section | undefined {
  const plain = label
    .replaceAll('\u2019', "'")
    .replace(/^(?:what(?:'s| is| was| has been)? |still |known )/i, '')
  if (FORBIDS.test(plain)) return 'constraints'
  const [, section] = HEADINGS.find(([pattern]) => plain.search(pattern) === 0) ?? []
  return section
}
