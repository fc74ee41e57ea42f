// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/BackgroundEvents.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  BackgroundEvents.handle { identifier, completionHandler in
    print("News for the session \"\(identifier)\"")
    completionHandler()
  }
}

private func example2() async throws {
  let isInBackground = BackgroundEvents.sessionIdentifier != nil
  _ = isInBackground
}
