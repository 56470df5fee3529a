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

/** True when `name` may be read as `other`: equal to the eye, or one letter away in a name of five or more. */
export function mayPassFor(name: string, other: string): boolean {
  if (name === other) return false
  const [a, b] = [skeleton(name), skeleton(other)]
  if (a === b) return true
  // A number at the end tells participants of one name apart: the room itself gives it.
  if (name.replace(/-\d+$/, '') === other) return false
  return Math.min(a.length, b.length) >= 5 && isOneEdit(a, b)
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
