import { once } from '../../../server/plugin.ts'

const BEYOND_ASCII = /[^\u0000-\u007f]/

/** NFKC of the characters up to U+FFFF that were met, by code. */
const folds = once(() => new Array<string | undefined>(0x10000).fill(undefined))

/** Beyond U+FFFF, every character that NFKC changes, and some that it does not. */
const foldable = once(() => /(?![\u0000-\uffff])\p{Changes_When_NFKC_Casefolded}/u)

/** NFKC of the text, character by character, so that each place in it has a place in the text. */
export function normalized(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text
  let units = new Uint16Array(text.length + FOLD_UNITS_MAX)
  let size = 0
  for (let at = 0; at < text.length; at++) {
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

/** The offset in the text of each unit of its normal form, which has `size` of them, and of its end. */
export function offsetsIn(text: string, size: number): Int32Array {
  const offsets = new Int32Array(size + 1)
  let at = 0
  let plain = 0
  for (const char of text) {
    const units = char < '\u0080' ? 1 : char.normalize('NFKC').length
    offsets.fill(at, plain, plain + units)
    plain += units
    at += char.length
  }
  offsets[plain] = at
  return offsets
}
