import { ENGLISH_STEMS } from '../../../generated/english-words.ts'

const STEMS = ` ${ENGLISH_STEMS} `

/** Whether a stem is that of an ordinary English word. A query has few words: looking for them costs less than a set. */
export function isOrdinary(stem: string): boolean {
  return STEMS.includes(` ${stem} `)
}
