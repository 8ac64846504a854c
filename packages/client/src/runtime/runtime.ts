import type { ReportRequest } from '@counterfoil/protocol'
import type { Download, DownloadOptions, DownloadTarget, OpenReport } from '../report/report.ts'
import type { Transport } from '../transport/transport.ts'

/** A SHA-256 of bytes that arrive in pieces. */
export interface Sha256 {
  update(bytes: Uint8Array): void
  /** The digest of all bytes in hex. */
  hex(): string
}

/** Everything that differs between runtimes. `node.ts` serves Node, Bun and Deno, `web.ts` browsers and others. */
export interface Runtime {
  /** @param ca Certificates to trust instead of the system's, as PEM. */
  createTransport(ca: string | undefined): Transport
  createSha256(): Sha256
  /** Saves a report in a file. Throws `FileError` where there is no file system. */
  saveReport(
    open: () => Promise<OpenReport>,
    target: DownloadTarget,
    options: DownloadOptions,
  ): Promise<Download>
  /** Saves a report whose days are requested one by one. Throws `FileError` where there is no file system. */
  saveInParts(
    save: SavePart,
    request: ReportRequest,
    target: DownloadTarget,
    options: SplitOptions,
  ): Promise<Download>
}

/** Options of a report whose days are requested one by one. */
export interface SplitOptions extends DownloadOptions {
  /** Whether to request a day again if an earlier call kept it without a proof. */
  readonly requireProof: boolean
  /** Whose report it is: the URL of the gateway, and the login. */
  readonly caller: { readonly endpoint: string; readonly login: string }
  /** Asks the gateway whether the days of the report can be joined. Throws `InvalidSettings` if they cannot. */
  readonly checkReport: () => Promise<void>
}

/** Requests a part of a report, with retries, and saves it. */
export type SavePart = (
  request: ReportRequest,
  file: string,
  options: DownloadOptions,
) => Promise<Download>
