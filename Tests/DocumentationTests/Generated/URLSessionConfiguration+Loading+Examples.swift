// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSessionConfiguration+Loading.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let properties: [HTTPCookiePropertyKey: Any] = [
    .name: "login", .value: "5f3a", .domain: "books.example", .path: "/",
  ]
  if let cookie = HTTPCookie(properties: properties) {
    configuration.httpCookieStorage?.setCookie(cookie)
  }
  _ = properties
}

private func example2() async throws {
  configuration.httpShouldSetCookies = false
}

private func example3() async throws {
  configuration.httpCookieAcceptPolicy = .never
}

private func example4() async throws {
  configuration.urlCredentialStorage = nil
}

private func example5() async throws {
  configuration.connectionProxyDictionary = [
    "HTTPSEnable": 1, "HTTPSProxy": "proxy.example", "HTTPSPort": 3128,
  ]
}

private func example6() async throws {
  configuration.protocolClasses = []
}

private func example7() async throws {
  configuration.urlCache = nil
}

private func example8() async throws {
  let service = URLSessionConfiguration.MultipathServiceType.handover
  _ = service
}

private func example9() async throws {
  configuration.multipathServiceType = .handover
}

private func example10() async throws {
  configuration.usesClassicLoadingMode = false
}

private func example11() async throws {
  configuration.enablesEarlyData = true
}
