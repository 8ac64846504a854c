/** Whether a host, also of a URL, is this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|::1|\[::1\]|127(\.\d{1,3}){3})$/.test(host)
}

/**
 * Reads where a database is from its URL, as the libraries of databases call it, and whether the connection has TLS.
 * TLS always verifies the certificate. Only a server on this machine needs none.
 */
export function databaseAddress(url: string, usualPort: number) {
  const { hostname, port, username, pathname, searchParams } = new URL(url)
  const mode = searchParams.get('sslmode')
  const server = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? usualPort : Number(port),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
  }
  return { server, isSecured: mode === null ? !isLoopback(hostname) : mode === 'verify-full' }
}
