/** Fresh random bytes; a parameter everywhere, so that a run can be repeated. */
export type RandomBytes = (size: number) => Uint8Array

/** The prefix names the kind of object; the rest is 64 random bits (tasks: 128). An id authorizes nothing. */
export type IdPrefix = 'ws' | 'par' | 'ssn' | 'inv' | 'prop' | 'lease' | 'ho' | 'task'

const ID_BYTES = 8
const TASK_ID_BYTES = 16 // the tasks extension asks for 128 bits

/** A fresh id: `lease_` + 16 hex digits, `task_` + 32. */
export function newId(prefix: IdPrefix, random: RandomBytes): string {
  const size = prefix === 'task' ? TASK_ID_BYTES : ID_BYTES
  return `${prefix}_${Buffer.from(random(size)).toString('hex')}`
}
