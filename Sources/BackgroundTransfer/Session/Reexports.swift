// One import is enough for a program. These types of FoundationNetworking are imported one by one
// because its `URLSession` and what belongs to it would clash.
@_exported import class FoundationNetworking.CachedURLResponse
@_exported import class FoundationNetworking.HTTPCookie
@_exported import struct FoundationNetworking.HTTPCookiePropertyKey
@_exported import class FoundationNetworking.HTTPCookieStorage
@_exported import class FoundationNetworking.HTTPURLResponse
@_exported import class FoundationNetworking.NSMutableURLRequest
@_exported import class FoundationNetworking.NSURLRequest
@_exported import class FoundationNetworking.URLAuthenticationChallenge
@_exported import protocol FoundationNetworking.URLAuthenticationChallengeSender
@_exported import class FoundationNetworking.URLCache
@_exported import class FoundationNetworking.URLCredential
@_exported import class FoundationNetworking.URLCredentialStorage
@_exported import class FoundationNetworking.URLProtectionSpace
@_exported import class FoundationNetworking.URLProtocol
@_exported import protocol FoundationNetworking.URLProtocolClient
@_exported import struct FoundationNetworking.HTTPCookiePropertyKey
@_exported import struct FoundationNetworking.URLRequest
@_exported import class FoundationNetworking.URLResponse
