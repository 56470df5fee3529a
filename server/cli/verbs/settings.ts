import type { Settings } from '../settings.ts'

/** The flags that were given, as settings. */
export function settingsOf(flags: Settings): Settings {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}

/** `a, b` as a list. */
export function commaList(text: string | undefined): readonly string[] | undefined {
  return text
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
