// One import is enough for a program: the value types of requests, replies and credentials are
// those of FoundationNetworking, declaration by declaration, because its `URLSession` would clash.
@_exported import class FoundationNetworking.HTTPURLResponse
@_exported import class FoundationNetworking.URLAuthenticationChallenge
@_exported import class FoundationNetworking.URLCredential
@_exported import class FoundationNetworking.URLProtectionSpace
@_exported import struct FoundationNetworking.URLRequest
@_exported import class FoundationNetworking.URLResponse
