import { onceFor } from '../../../../server/plugin.ts'

/** Characters that look like others, by what they look like. Letters only: names of agents are short. */
const LOOKS: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      ['a', 'аαɑ'],
      ['b', 'ьβ'],
      ['c', 'сϲ'],
      ['d', 'ԁ'],
      ['e', 'еєε'],
      ['h', 'һ'],
      ['i', 'іι1l|!ı'],
      ['j', 'ј'],
      ['k', 'кκ'],
      ['m', 'м'],
      ['n', 'пη'],
      ['o', '0оοσө'],
      ['p', 'рρ'],
      ['s', 'ѕ5$'],
      ['t', 'тτ'],
      ['u', 'υ'],
      ['v', 'νѵ'],
      ['w', 'ԝω'],
      ['x', 'хχ'],
      ['y', 'уγ'],
    ] as const
  ).flatMap(([plain, others]) => [...others].map((other) => [other, plain])),
)

/** The letters of a name as an eye in a hurry takes them. */
function skeleton(name: string): string {
  const folded = name.normalize('NFKD').toLowerCase()
  return [...folded]
    .map((char) => LOOKS[char] ?? char)
    .filter((char) => /[\p{L}\p{N}]/u.test(char))
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
}

/** A number at the end tells participants of one name apart: the room itself gives it. */
const OWN_NUMBER = /-\d+$/

/** A name with what is compared of it, made once. */
interface Seen {
  readonly name: string
  readonly letters: string
  /** Without the number that the room gave. */
  readonly stem: string
}

function seen(name: string): Seen {
  return { name, letters: skeleton(name), stem: name.replace(OWN_NUMBER, '') }
}

/** True when `name` may be read as `other`: equal to the eye, or one letter away in a name of five or more. */
export function mayPassFor(name: string, other: string): boolean {
  return looksLike(seen(name), seen(other))
}

function looksLike(one: Seen, other: Seen): boolean {
  if (one.name === other.name) return false
  if (one.letters === other.letters) return true
  if (one.stem === other.stem) return false
  return Math.min(one.letters.length, other.letters.length) >= 5 && isOneEdit(one.letters, other.letters)
}

interface Named {
  readonly participant_id: string
  readonly name: string
  readonly joined_at: string
}

/**
 * By participant, the name of one who joined before and for whom its own may be taken. Found once for each list: two
 * hundred members make twenty thousand pairs, and the page asks at each key that is pressed.
 */
export const imitations: (members: readonly Named[]) => ReadonlyMap<string, string> = onceFor((members) => {
  const all = members.map((one) => ({ ...one, ...seen(one.name) }))
  const imitated = all.flatMap((one) => {
    const like = all.find((other) => isBefore(other, one) && looksLike(one, other))
    return like ? [[one.participant_id, like.name] as const] : []
  })
  return new Map(imitated)
})

function isBefore(other: Named, one: Named): boolean {
  return other.participant_id !== one.participant_id && other.joined_at <= one.joined_at
}

function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  const [restA, restB] = [a.slice(head), b.slice(head)]
  const isSwapped = restA.length > 1 && restA[0] === restB[1] && restA[1] === restB[0]
  return (
    restA.slice(1) === restB.slice(1) ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB ||
    (isSwapped && restA.slice(2) === restB.slice(2))
  )
}
