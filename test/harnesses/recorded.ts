import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Measurement, measurement } from './measurement.ts'

const FOLDER = join(import.meta.dirname, 'recorded')

/** The measurements that are kept, by file name. */
export function recordedMeasurements(): readonly Measurement[] {
  if (!existsSync(FOLDER)) return []
  const files = readdirSync(FOLDER).sort()
  return files.map((file) => measurement.parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))))
}

/** Keeps a measurement in place of the last one of that harness. */
export function keepMeasurement(measured: Measurement): void {
  const name = measured.harness.toLowerCase().replaceAll(' ', '-')
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(measured, null, 2)}\n`)
}
