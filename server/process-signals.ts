import type { StopSignal } from './cli/io.ts'

/** Stops this process in order, as a signal from outside does. */
export function stopByOwnSignal(): void {
  process.emit('SIGTERM', 'SIGTERM')
}

/** Calls `listener` for each signal that ends a command. Returns the function that removes it. */
export function onProcessSignal(listener: (signal: StopSignal) => void): () => void {
  const signals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const each = signals.map((signal) => [signal, () => listener(signal)] as const)
  for (const [signal, handler] of each) process.on(signal, handler)
  return () => {
    for (const [signal, handler] of each) process.off(signal, handler)
  }
}
