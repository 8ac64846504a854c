declare module 'node-oauth1' {
  interface Message {
    readonly action: string
    readonly method: string
    /** Pairs of name and value. Signing adds pairs. */
    readonly parameters: (readonly string[])[]
  }

  const OAuth: {
    readonly SignatureMethod: {
      sign(message: Message, accessor: { readonly consumerSecret: string }): void
    }
    getAuthorizationHeader(realm: string, parameters: readonly (readonly string[])[]): string
  }
  export default OAuth
}
