export { type Diagnosis, type DiagnosisOptions, diagnose } from './diagnosis/diagnose.ts'
export type { Difference } from './diagnosis/difference.ts'
export { type Mistake, type MistakeCode, MISTAKES } from './diagnosis/mistakes.ts'
export {
  type ControlKey,
  importControlKey,
  importPrivateKey,
  importPublicKey,
  type PrivateKey,
  type PublicKey,
  type SigningKey,
  type VerificationKey,
} from './keys/keys.ts'
export { SIGNATURE_METHODS, type SignatureMethod } from './keys/methods.ts'
export { signatureBaseString } from './parameters/base-string.ts'
export { type BodyHash, bodyHash } from './parameters/body-hash.ts'
export { encodeForm, isForm, parseForm } from './parameters/form.ts'
export { type Authorization, parseAuthorization } from './parameters/header.ts'
export {
  normalizeParameters,
  type Parameter,
  type ParameterList,
  percentDecode,
  percentEncode,
} from './parameters/parameters.ts'
export { type PastedRequest, readPasted } from './pasted/read-pasted.ts'
export {
  type Fault,
  REFUSAL_STEPS,
  type RefusalCode,
  type VerificationStep,
} from './refusals/refusals.ts'
export { SigningError, type SigningErrorCode } from './refusals/signing-error.ts'
export {
  type Credentials,
  type RequestToSign,
  sign,
  type Signed,
  type SignOptions,
} from './sign/sign.ts'
export {
  type SignedRequest,
  type SigningPart,
  type SigningStep,
  signingSteps,
} from './sign/signing-steps.ts'
export {
  type Consumer,
  createMemoryNonces,
  type NonceOutcome,
  type NonceUse,
  type Refused,
  type RequestToVerify,
  type Verification,
  type Verified,
  type Verifier,
} from './verify/verifier.ts'
export { verify } from './verify/verify.ts'
