// The names that FoundationNetworking declares, and those that it lacks. Source:
// NSURLProtectionSpace.h.

/// The default method of a protocol.
public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"
/// Basic, RFC 7617.
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"
/// Digest, RFC 7616.
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"
/// An HTML form on a page; no challenge uses it.
public let NSURLAuthenticationMethodHTMLForm = "NSURLAuthenticationMethodHTMLForm"
/// NTLM.
public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"
/// Negotiate, RFC 4559.
public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"
/// The server requests a client certificate.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
/// The delegate evaluates the server's certificates.
///
/// ```swift
/// func isAboutTrust(_ challenge: URLAuthenticationChallenge) -> Bool {
///   challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
/// }
/// ```
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
