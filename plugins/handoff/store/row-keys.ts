import type { KeyWords } from './segment.ts'

/** Finds rows by the keys of their files. */
export interface RowKeys {
  /** The row with this key; -1 if there is none. */
  find(key: KeyWords): number
  /** Adds a row. Returns the row that has its key already, else -1. */
  add(row: number): number
}

/** An index of `words`, four for each row; rows are added one by one. */
export function createRowKeys(words: Uint32Array): RowKeys {
  const bits = Math.max(4, Math.ceil(Math.log2((words.length / 4) * 2 + 1)))
  const slots = new Int32Array(2 ** bits).fill(-1)
  const mask = slots.length - 1
  const slotOf = (a: number, b: number, c: number, d: number): number => {
    const mixed = a ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35) ^ Math.imul(d, 0x27d4eb2f)
    let at = (Math.imul(mixed, 0x9e3779b1) >>> 7) & mask
    for (;;) {
      const row = slots[at] ?? -1
      if (row < 0) return at
      const key = row * 4
      if (words[key + 3] === d && words[key + 2] === c && words[key + 1] === b && words[key] === a) return at
      at = (at + 1) & mask
    }
  }
  return {
    find: ([a, b, c, d]) => slots[slotOf(a, b, c, d)] ?? -1,
    add(row) {
      const key = row * 4
      const at = slotOf(words[key] ?? 0, words[key + 1] ?? 0, words[key + 2] ?? 0, words[key + 3] ?? 0)
      const known = slots[at] ?? -1
      if (known < 0) slots[at] = row
      return known
    },
  }
}
