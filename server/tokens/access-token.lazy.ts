import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { OAuthSettings } from '../config-sections.ts'
import type { Principal } from '../contract/advanced/principal.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { isSecureAddress } from '../platform/secure-address.ts'
import { refusals } from './refusals.ts'
import { parseScope } from './scopes.ts'

/** Signatures with a public key. `none` and shared secrets are never accepted. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const CLOCK_TOLERANCE_S = 5
/** Time for an answer of the issuer. */
const ANSWER_MS = 5_000
const METADATA_MAX_CHARS = 256 * 1024
/** Time after a failure for which the issuer is not asked again. */
const PAUSE_MS = 5_000
const SUBJECT_MAX_CHARS = 200

/** What is wrong with a token, by the code of jose. Any other error means that the keys of the issuer are not known. */
const FAULTS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it expired',
  ERR_JWT_CLAIM_VALIDATION_FAILED: 'a claim is missing or wrong',
  ERR_JWT_INVALID: 'it is malformed',
  ERR_JWS_INVALID: 'it is malformed',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is wrong',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not accepted',
  ERR_JOSE_NOT_SUPPORTED: 'its algorithm is not accepted',
  ERR_JWKS_NO_MATCHING_KEY: 'the issuer has no key of that kid',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'it names no kid, and the issuer has several keys',
}

export interface AccessTokens {
  /** The caller with this token. Errors: `unauthorized`/`access_token_invalid`, `unavailable`/`issuer_unavailable`. */
  recognize(bearer: string): Promise<Principal>
}

/** Verifies access tokens that the issuer signed for this server (RFC 9068). Asks the issuer for its keys at the first one. */
export function createAccessTokens({ issuer, resource, audience, jwks_uri }: OAuthSettings): AccessTokens {
  const keysOfIssuer = keySource(issuer, jwks_uri)
  return {
    async recognize(bearer) {
      try {
        const keys = await keysOfIssuer()
        const { payload } = await jwtVerify(bearer, keys, {
          issuer,
          audience: audience ?? resource,
          algorithms: ALGORITHMS,
          requiredClaims: ['exp'],
          clockTolerance: CLOCK_TOLERANCE_S,
        })
        return principalOf(payload)
      } catch (thrown) {
        throw refusalOf(thrown, issuer)
      }
    },
  }
}

function principalOf(payload: JWTPayload): Principal {
  const subject = payload.sub ?? payload['client_id'] ?? payload['azp']
  if (typeof subject !== 'string' || subject === '') {
    throw refusals.access_token_invalid({ fault: 'it names no subject' })
  }
  const listed = payload['scope'] ?? payload['scp']
  const scopes = [listed]
    .flat()
    .flatMap((scope) => (typeof scope === 'string' ? scope.split(' ') : []))
    .filter((scope) => parseScope(scope) !== undefined)
  return {
    id: `oauth:${subject.slice(0, SUBJECT_MAX_CHARS)}`,
    kind: 'operator',
    capabilities: [],
    scopes,
  }
}

function refusalOf(thrown: unknown, issuer: string): unknown {
  if (!(thrown instanceof errors.JOSEError)) {
    return thrown instanceof TypeError || thrown instanceof IssuerError
      ? refusals.issuer_unavailable({ issuer }, { cause: thrown })
      : thrown
  }
  const fault =
    thrown instanceof errors.JWTClaimValidationFailed
      ? `its claim "${thrown.claim}" is missing or wrong`
      : FAULTS[thrown.code]
  return fault === undefined
    ? refusals.issuer_unavailable({ issuer }, { cause: thrown })
    : refusals.access_token_invalid({ fault }, { cause: thrown })
}

class IssuerError extends Error {}

/** Returns the keys of the issuer, whose address its metadata names unless it is set. */
function keySource(issuer: string, jwksUri: string | undefined): () => Promise<JWTVerifyGetKey> {
  const keysAt = (uri: string): JWTVerifyGetKey =>
    createRemoteJWKSet(new URL(uri), { timeoutDuration: ANSWER_MS })
  let keys: JWTVerifyGetKey | undefined = jwksUri === undefined ? undefined : keysAt(jwksUri)
  let asking: Promise<string> | undefined
  return async () => {
    if (keys) return keys
    asking ??= jwksUriOf(issuer)
    const asked = asking
    asked.catch(() => {
      setTimeout(() => {
        if (asking === asked) asking = undefined
      }, PAUSE_MS).unref()
    })
    keys = keysAt(await asked)
    return keys
  }
}

/** Asks the issuer for its metadata: OpenID Connect Discovery, then RFC 8414. */
async function jwksUriOf(issuer: string): Promise<string> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const places = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
  for (const place of places) {
    const metadata = await metadataAt(place)
    if (metadata === undefined) continue
    const { issuer: named, jwks_uri: uri } = metadata
    if (named !== issuer) throw new IssuerError('the metadata is of another issuer')
    if (typeof uri !== 'string' || !isSecureAddress(uri)) throw new IssuerError('the metadata names no keys')
    return uri
  }
  throw new IssuerError('the issuer has no metadata')
}

async function metadataAt(place: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const response = await fetch(place, { redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS) })
    if (!response.ok) return undefined
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (text.length > METADATA_MAX_CHARS) throw new IssuerError('the metadata is too large')
    }
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch (cause) {
    throw new IssuerError('the metadata cannot be read', { cause })
  }
}
