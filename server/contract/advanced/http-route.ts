/** The rarer members of an `HttpRoute`. */
export interface HttpRouteOptions {
  /** Names of the listeners that serve it; absent: `api`. */
  readonly listeners?: readonly string[]
  /** Further content type whose raw text becomes the input field `field`. */
  readonly rawBody?: { readonly field: string; readonly contentType: string }
  /** Cap of the body in bytes; absent: 4 MiB (surface, section 6). */
  readonly maxBodyBytes?: number
  /** Request header in lower case -> input field: `{ 'if-match': 'if_match' }`. The quotes of an entity tag are removed. */
  readonly headers?: Readonly<Record<string, string>>
  /** Output field sent as `ETag`. */
  readonly etag?: string
  /** Reports an input whose answer says more than what the tag names, such as how old it is: it is sent without a tag. */
  readonly untagged?: (input: Readonly<Record<string, unknown>>) => boolean
}
