import type { ModuleSummary } from '../../../plugins/modules/domain/summary.ts'

/** Modules made of others by exchanging words, so that each has a vocabulary of its own as real ones have. */
export interface GrownModules {
  /** The n-th module at its version; 0 is the newest. */
  summary(n: number, version: number): ModuleSummary
}

/** Share of the words of a module that are exchanged, and of those of an older version. */
const CHANGED_SHARE = 0.12
const CHANGED_BY_VERSION = 0.01
/** Words that modules share among themselves; the first are much more frequent, as in any language. */
const WORDS = 30_000
/** Comes after every tag of these modules in the order of versions. */
export const NEWEST = 'v2.0.0'

/** Modules like those in `samples`; equal arguments give equal modules. */
export function growModules(samples: readonly ModuleSummary[]): GrownModules {
  return {
    summary(n, version) {
      const sample = samples[n % samples.length]
      if (!sample) throw new Error('There is no module to grow others from.')
      const path = sample.path === '.' ? '' : `-${sample.path.replaceAll('/', '-')}`
      const whole = exchanger(`module ${n}`, CHANGED_SHARE)
      const later = exchanger(`module ${n} version ${version}`, CHANGED_BY_VERSION * version)
      const words = (text: string): string => later(whole(text))
      return {
        ...sample,
        repository: `https://example.test/acme/terraform-${nameOf(sample)}${path}-${n}`,
        name: `terraform-${nameOf(sample)}${path}-${n}`,
        path: '.',
        kind: 'root',
        ref: version === 0 ? NEWEST : `v1.${version}.0`,
        ref_kind: 'tag',
        description: words(sample.description),
        readme_content: words(sample.readme_content),
        variables: sample.variables.map((one) => ({
          ...one,
          name: words(one.name),
          description: words(one.description),
        })),
        outputs: sample.outputs.map((one) => ({
          ...one,
          name: words(one.name),
          description: words(one.description),
        })),
      }
    },
  }
}

function nameOf({ repository }: ModuleSummary): string {
  const last = repository.split(/[/:+]/).at(-1) ?? 'sample'
  return last.replace(/\.git$/, '').replace(/^terraform-/, '')
}

/** Exchanges the same words of every text in the same way, so that an input and its mention stay one word. */
function exchanger(seed: string, share: number): (text: string) => string {
  const known = new Map<string, string>()
  const exchanged = (word: string): string => {
    const chance = hash(`${seed} ${word}`)
    if ((chance % 10_000) / 10_000 >= share) return word
    return inventedWord(Math.floor(WORDS ** ((hash(`${word} ${seed}`) % 10_000) / 10_000)))
  }
  return (text) =>
    share === 0
      ? text
      : text.replace(/[A-Za-z]{4,}/g, (word) => {
          const found = known.get(word) ?? exchanged(word)
          known.set(word, found)
          return found
        })
}

const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru'.split(' ')

function inventedWord(n: number): string {
  let word = ''
  for (let left = n + SYLLABLES.length; left > 0; left = Math.floor(left / SYLLABLES.length))
    word += SYLLABLES[left % SYLLABLES.length]
  return word.padEnd(5, 'n')
}

/** 32-bit FNV-1a, mixed; unsigned. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return (value ^ (value >>> 13)) >>> 0
}
