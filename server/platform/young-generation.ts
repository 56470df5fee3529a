import { setFlagsFromString } from 'node:v8'

let keeping = 0

/**
 * Keeps V8's young generation at the size that it has until the returned function is called: for much garbage V8 doubles
 * that space repeatedly and never releases it. Calls may overlap.
 */
export function keepYoungGeneration(): () => void {
  keeping++
  setFlagsFromString('--semi-space-growth-factor=1')
  return () => {
    keeping--
    if (keeping === 0) setFlagsFromString('--semi-space-growth-factor=2') // V8's own
  }
}
