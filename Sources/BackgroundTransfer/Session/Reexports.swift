// One import is enough for a program. The value types of requests, responses and credentials are
// those of FoundationNetworking, imported one by one because its `URLSession` would clash.
@_exported import class FoundationNetworking.HTTPCookie
@_exported import class FoundationNetworking.HTTPCookieStorage
@_exported import class FoundationNetworking.HTTPURLResponse
@_exported import class FoundationNetworking.NSMutableURLRequest
@_exported import class FoundationNetworking.NSURLRequest
@_exported import class FoundationNetworking.URLAuthenticationChallenge
@_exported import class FoundationNetworking.URLCache
@_exported import class FoundationNetworking.URLCredential
@_exported import class FoundationNetworking.URLCredentialStorage
@_exported import class FoundationNetworking.URLProtectionSpace
@_exported import class FoundationNetworking.URLProtocol
@_exported import class FoundationNetworking.URLResponse
@_exported import struct FoundationNetworking.HTTPCookiePropertyKey
@_exported import struct FoundationNetworking.URLRequest
