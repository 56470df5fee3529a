/** Gives numbers, durations and sizes one spelling: `a minute`, `60 s` and `60000ms` are equal. */
export function withMeasures(text: string): string {
  return text
    .replace(ORDINAL, 'another')
    .replace(/\b(?:every|each|per|once (?:a|per))\s+(?=(?:second|minute|hour)\b)/gi, 'every 1 ')
    .replace(NUMBER_WORD, (word) => NUMBERS[word.toLowerCase()] ?? word)
    .replace(/\b(\d+|an?) (hundred|thousand|million|dozen)s?\b/gi, (_, count, unit) =>
      String((Number(count) || 1) * (MULTIPLES[unit.toLowerCase()] ?? 1)),
    )
    .replace(/\b(40[1-9]|429|50[1-4])s\b/g, '$1')
    .replace(/\b(?:a )?quarter (?:of an? )?(?=second|minute|hour|gigabyte|megabyte)/gi, '0.25 ')
    .replace(/\b(?:twice|two times) as (?=many|much|long|large|big)/gi, 'double ')
    .replace(/\bthrice\b/gi, '3 times')
    .replace(/\btwice\b/gi, '2 times')
    .replace(/(\d),(?=\d{3}\b)/g, '$1')
    .replace(/\b\d(?:\.(\d{1,9}))?e-(\d{1,2})\b/gi, decimalOf)
    .replace(/\b(\d+) times (?:an?|per|every) (second|minute|hour)\b/gi, (_, count, unit) =>
      intervalOf(count, unit),
    )
    .replace(/\B-Xm[sx](\d+[kmgt])\b/gi, ' heap $1b')
    .replace(
      /\b(\d+(?:\.\d+)?(?=[\s-]*[a-z])|(?:half )?an?(?=\s[^\s]{3})|one(?=\s[^\s]{3}))[\s-]*(ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|h|hours?)\b/gi,
      (_, count, unit) => durationOf(count, unit),
    )
    .replace(
      /\b(\d+(?:\.\d+)?)[\s-]*([kmgt])(?:i?b|i|(?:ilo|ega|iga|era|ibi|ebi)bytes?)\b/gi,
      (_, count, unit) => sizeOf(count, unit),
    )
    .replace(/\b(\d+)[\s-]*bytes?\b/gi, (_, count) => `${Number((count / 1024).toFixed(3))}kb`)
}

/** `a second CIDR block` counts blocks, `a second before each retry` and `for a second` tell a time. */
const ORDINAL =
  /(?<!\b(?:for|wait|waits|waiting|sleep|sleeps|every|once|times|within|under|below|half|quarter of|least|most|than) )\ba second(?= (?!(?:after|ago|and|apart|at|before|between|but|by|each|every|for|from|had|has|if|in|is|later|longer|more|on|or|passe[ds]|per|so|then|to|until|when|while)\b)[a-z])/gi

const NUMBERS: Readonly<Record<string, string>> = Object.fromEntries([
  ...'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'
    .split(' ')
    .map((word, n) => [word, String(n)]),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, n) => [word, String((n + 2) * 10)]),
])
/** `one` is mostly no number. */
const NUMBER_WORD = new RegExp(
  `\\b(?:${Object.keys(NUMBERS)
    .filter((word) => word !== 'one')
    .join('|')})\\b`,
  'gi',
)

const MULTIPLES: Readonly<Record<string, number>> = {
  dozen: 12,
  hundred: 100,
  thousand: 1000,
  million: 1_000_000,
}

function durationOf(count: string, unit: string): string {
  const n = /\d/.test(count) ? Number(count) : /half/i.test(count) ? 0.5 : 1
  const ms = /^(?:ms|milli)/i.test(unit) ? 1 : /^s/i.test(unit) ? 1000 : /^m/i.test(unit) ? 60_000 : 3_600_000
  return `${Math.round(n * ms)}ms`
}

/** The time between two of so many in a unit of time: `ten times a second` is `every 100 ms`. */
function intervalOf(count: string, unit: string): string {
  const every = Number.parseInt(durationOf('1', unit), 10) / Math.max(1, Number(count))
  return `every ${Math.round(every)}ms`
}

/** More than that JavaScript does not write. */
const MAX_DECIMALS = 100

/** `1e-5` and `1e-05` are `0.00001`. */
function decimalOf(scientific: string, fraction: string | undefined, places: string): string {
  return Number(scientific).toFixed(Math.min((fraction?.length ?? 0) + Number(places), MAX_DECIMALS))
}

function sizeOf(count: string, unit: string): string {
  const power = 'kmgt'.indexOf(unit.toLowerCase())
  return `${Math.round(Number(count) * 1024 ** power)}kb`
}
