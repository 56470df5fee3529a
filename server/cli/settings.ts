/** Settings from flags, by dotted configuration key: `{ 'http.port': 8000 }`. */
export type Settings = Readonly<Record<string, unknown>>
