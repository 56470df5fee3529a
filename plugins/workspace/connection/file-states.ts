import type { Substrate } from '../domain/rows.ts'

const FILE_STATES: Readonly<Record<Substrate, string>> = {
  ok: 'can be read again.',
  missing: 'is missing. Its last version stays readable, and the next commit writes the file again.',
  invalid: 'is not UTF-8 text of at most 4 MiB. Nothing is committed until it is repaired.',
}

/** Says a state of the file, unless it is the good one that it begins with. */
export function tellOfFile(file: string, say: (line: string) => void): (substrate: Substrate) => void {
  let told: Substrate = 'ok'
  return (substrate) => {
    if (substrate !== told) say(`${file} ${FILE_STATES[substrate]}`)
    told = substrate
  }
}
