import { once } from '../../../server/plugin.ts'

/** NFKC of the characters up to U+FFFF that were met, by code. */
const folds = once(() => new Array<string | undefined>(0x10000).fill(undefined))

/** Beyond U+FFFF, every character that NFKC changes, and some that it does not. */
const foldable = once(() => /(?![\u0000-\uffff])\p{Changes_When_NFKC_Casefolded}/u)

/** NFKC of the text, character by character, so that each place in it has a place in the text. */
export function normalized(text: string): string {
  const changed = firstChanged(text)
  if (changed === text.length) return text
  let units = new Uint16Array(text.length + FOLD_UNITS_MAX)
  let size = 0
  for (; size < changed; size++) units[size] = text.charCodeAt(size)
  for (let at = changed; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0
    if (code < 0x80) {
      units[size++] = code
    } else {
      const plain = folded(code)
      for (let unit = 0; unit < plain.length; unit++) units[size++] = plain.charCodeAt(unit)
      if (code > 0xffff) at++
    }
    if (size + FOLD_UNITS_MAX > units.length) units = grown(units)
  }
  return Buffer.from(units.buffer, 0, size * 2).toString('utf16le')
}

/** Where the first character is that NFKC changes; the length of the text if there is none. */
function firstChanged(text: string): number {
  const beyondAscii = /[^\u0000-\u007f]/.exec(text)?.index ?? text.length
  for (let at = beyondAscii; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    const code = text.codePointAt(at) ?? 0
    if (!isKept(code)) return at
    if (code > 0xffff) at++
  }
  return text.length
}

function isKept(code: number): boolean {
  const plain = folded(code)
  return plain.codePointAt(0) === code && plain.length === (code > 0xffff ? 2 : 1)
}

/** The longest NFKC of a character, that of U+FDFA. */
const FOLD_UNITS_MAX = 18

/** NFKC of the character with this code point. */
function folded(code: number): string {
  const known = folds()[code]
  if (known !== undefined) return known
  const char = String.fromCodePoint(code)
  if (code > 0xffff) return foldable().test(char) ? char.normalize('NFKC') : char
  const plain = char.normalize('NFKC')
  folds()[code] = plain
  return plain
}

function grown(units: Uint16Array<ArrayBuffer>): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(units.length * 2)
  larger.set(units)
  return larger
}

/** Where in the text the offsets in its normal form are, which ascend. One within a character's form is its start. */
export function offsetsIn(text: string, offsets: readonly number[]): readonly number[] {
  const places: number[] = []
  let at = 0
  let plain = 0
  for (const offset of offsets) {
    while (at < text.length) {
      const code = text.codePointAt(at) ?? 0
      const units = code < 0x80 ? 1 : folded(code).length
      if (plain + units > offset) break
      plain += units
      at += code > 0xffff ? 2 : 1
    }
    places.push(at)
  }
  return places
}
