export { baseStringUrl, signatureBaseString } from './base-string.ts'
export { type BodyHash, bodyHash } from './body-hash.ts'
export { percentDecode, percentEncode } from './encode.ts'
export { encodeForm, isForm, parseForm } from './form.ts'
export { type Authorization, formatAuthorization, parseAuthorization } from './header.ts'
export {
  type ControlKey,
  importControlKey,
  importPrivateKey,
  importPublicKey,
  type PrivateKey,
  type PublicKey,
  type SigningKey,
  type VerificationKey,
} from './keys.ts'
export { type Method, METHODS, type SignatureMethod } from './methods.ts'
export type { Parameter } from './parameter.ts'
export { normalizeParameters } from './parameters.ts'
export {
  type Credentials,
  type RequestToSign,
  sign,
  type Signed,
  type SignOptions,
  type Token,
} from './sign.ts'
export { SigningError, type SigningErrorCode } from './signing-error.ts'
export {
  type Consumer,
  type NonceOutcome,
  type NonceUse,
  type Refused,
  type RequestToVerify,
  type Verification,
  type VerificationStep,
  type Verified,
  type Verifier,
  verify,
} from './verify.ts'
