/** The part of cli-progress that `progress.ts` uses; the package ships no types. */
declare module 'cli-progress' {
  namespace cliProgress {
    class SingleBar {
      constructor(options: { format: string; clearOnComplete: boolean; hideCursor: boolean })
      start(total: number, value: number, payload: Readonly<Record<string, string>>): void
      update(value: number, payload: Readonly<Record<string, string>>): void
      setTotal(total: number): void
      stop(): void
    }
  }
  export = cliProgress
}
