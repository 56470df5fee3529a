/** What is used of the optional peer `pg`, which has no types of its own. */
declare module 'pg' {
  export interface Result {
    readonly rows: readonly Readonly<Record<string, unknown>>[]
    readonly rowCount: number | null
  }

  export interface Settings {
    readonly connectionString: string
    readonly application_name: string
    readonly connectionTimeoutMillis: number
    readonly statement_timeout?: number
    readonly query_timeout?: number
    readonly keepAlive: boolean
    readonly keepAliveInitialDelayMillis?: number
  }

  export class Client {
    constructor(settings: Settings)
    readonly host: string
    readonly port: number
    readonly database: string | undefined
    readonly user: string | undefined
    /** Null: neither the address nor PGPASSWORD has one. A function is asked where the server wants one. */
    password: string | null | (() => Promise<string | undefined>)
    connect(): Promise<void>
    /** A text of several statements gives one result each. */
    query(text: string): Promise<Result | Result[]>
    end(): Promise<void>
    on(event: 'error' | 'end', listener: (error: unknown) => void): void
    on(event: 'notification', listener: (told: { readonly payload?: string }) => void): void
  }

  export interface PoolClient {
    query(text: string, values?: readonly unknown[]): Promise<Result>
    /** With an error the connection is closed instead of kept. */
    release(error?: Error | boolean): void
    on(event: 'error', listener: (error: unknown) => void): void
  }

  export class Pool {
    constructor(
      settings: Settings & {
        /** Absent: the driver's own. */
        readonly Client?: typeof Client
        readonly max: number
        readonly idleTimeoutMillis: number
      },
    )
    readonly totalCount: number
    readonly idleCount: number
    readonly waitingCount: number
    connect(): Promise<PoolClient>
    end(): Promise<void>
    on(event: 'error', listener: (error: unknown) => void): void
    on(event: 'connect', listener: (client: PoolClient) => void): void
  }

  const pg: { readonly Client: typeof Client; readonly Pool: typeof Pool }
  // biome-ignore lint/style/noDefaultExport: the package has one
  export default pg
}
