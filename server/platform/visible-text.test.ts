import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hasHidden, mixesScripts, showHidden, visibleLine, withoutHidden } from './visible-text.ts'

const REAL_TEXT = [
  'Ada Lovelace',
  "Conan O'Brien",
  'José Ángel Muñoz',
  'Đặng Thị Ngọc Thịnh',
  'Łukasz Żółć',
  'Jo\u0308rg', // decomposed
  'Кузнецова Анна',
  'Ελένη Γλύκατζη-Αρβελέρ',
  'Հայկ Գևորգյան',
  'ქეთევან',
  'יִצְחָק',
  'محمد بن سلمان',
  'می\u200cخواهم', // Persian: the prefix does not join
  'خانه\u200cای',
  'नरेन्द्र',
  'क्\u200dष',
  'শ্রী র\u200d্যাব', // Bengali: ra before ya
  'ന്\u200d', // Malayalam: chillu
  'ශ්\u200dරී ලංකා',
  'தமிழ்',
  'ประยุทธ์',
  'မြန်မာ',
  '山田太郎',
  'サトシ・ナカモト',
  '김철수',
  'ᠮᠣᠩᠭᠣᠯ\u180b',
  'ʻOkina',
  '۝١',
  '❤\ufe0f',
  '☎\ufe0e',
  '1\ufe0f\u20e3',
  '👨\u200d👩\u200d👧\u200d👦',
  '🏳\ufe0f\u200d🌈',
  '🧑🏽\u200d🤝\u200d🧑🏻',
  '🇺🇳',
  '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
]

const HIDDEN: readonly (readonly [string, string])[] = [
  ['Hangul fillers', '\u115f\u1160\u3164\uffa0'],
  ['the blank Braille pattern', '\u2800'],
  ['tags', '\u{e0001}\u{e0041}\u{e007f}'],
  ['variation selectors', '\ufe00\ufe0f\u{e0100}\u{e01ef}'],
  ['bidi controls', '\u061c\u200e\u200f\u202a\u202e\u2066\u2069'],
  ['zero-width characters', '\u00ad\u034f\u200b\u200c\u200d\u2060\ufeff'],
  ['controls', '\u0000\u001b\u007f\u009b'],
  ['separators of lines and paragraphs', '\u2028\u2029'],
  ['lone surrogates', '\ud800'],
  ['private use', '\ue000\u{f0000}'],
  ['unassigned', '\u0378\uffff'],
  ['selectors of Mongolian after no letter', '\u180b\u180e'],
]

test('real text of every script and emoji stays as it is', () => {
  for (const text of REAL_TEXT) {
    assert.equal(withoutHidden(text), text)
    assert.equal(showHidden(text), text)
    assert.equal(visibleLine(text), text)
  }
})

test('a hidden character is found, removed and shown, wherever it is', () => {
  for (const [kind, chars] of HIDDEN) {
    for (const char of chars) {
      const code = (char.codePointAt(0) ?? 0).toString(16)

      assert.equal(withoutHidden(`a${char}b`), 'ab', `${kind} ${code}`)
      assert.equal(showHidden(`a${char}b`), `a\\u{${code}}b`, `${kind} ${code}`)
      assert.ok(hasHidden(char), `${kind} ${code}`)
    }
    assert.equal(visibleLine(chars), '', kind)
  }
})

test('a selector or joiner stays only once, and only where it changes what is seen', () => {
  const table = [
    ['❤\ufe0f\ufe0f\ufe0e', '❤\ufe0f'],
    ['1\ufe0f', '1'],
    ['🏴\u{e0061}\u{e0062}\u{e007f}', '🏴'],
    ['👩\u200da', '👩a'],
    ['زیبا\u200cترین', 'زیباترین'], // alef never joins
    ['क्\u200d\u200d\u200dष', 'क्\u200dष'],
    ['葛\u{e0100}城', '葛城'],
  ] as const

  for (const [text, clean] of table) assert.equal(withoutHidden(text), clean)
})

test('a line is one line, and empty when nothing is left to see', () => {
  assert.equal(visibleLine(' a\u2028b\r\n\u3000c\u00a0\u00a0d '), 'a b c d')
  assert.equal(visibleLine('\u0301 \u00a0\u200b\n'), '')
})

test('cleaning is idempotent, never adds, and leaves nothing hidden', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...REAL_TEXT, ...HIDDEN.map(([, chars]) => chars)),
  )
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

  fc.assert(
    fc.property(text, (dirty) => {
      const clean = withoutHidden(dirty)

      assert.equal(withoutHidden(clean), clean)
      assert.equal(hasHidden(clean), false)
      assert.equal(visibleLine(visibleLine(dirty)), visibleLine(dirty))
      assert.equal(showHidden(dirty).replace(/\\u\{[0-9a-f]+\}/g, ''), clean.replace(/\\u\{[0-9a-f]+\}/g, ''))
      assert.doesNotMatch(
        clean,
        /[\u115f\u1160\u2028-\u202e\u2066-\u2069\u2800\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/u,
      )
    }),
  )
})

test('a million hidden characters are removed in linear time', () => {
  const startedAt = process.cpuUsage().user

  for (const char of ['\u200d', '\u180b', '\u{e0100}', '👩\u200d'])
    withoutHidden(`ب${char.repeat(1_000_000)}x`)

  assert.ok(process.cpuUsage().user - startedAt < 20_000_000)
})

test('a word that mixes scripts is told from words of different scripts', () => {
  for (const text of ['\u043ewner', 'p\u0430ypal', 'αdmin', 'Ꭰda', 'օwner', 'ဝwner', 'ada ꓮda', '𝐚dа'])
    assert.ok(mixesScripts(text), text)
  for (const text of [
    ...REAL_TEXT,
    'Ada Кузнецова',
    'SQLのテスト',
    'iPhone用',
    '한글abc',
    'ada-2',
    'ﬁne',
    '10 µm',
  ])
    assert.equal(mixesScripts(text), false, text)
})
