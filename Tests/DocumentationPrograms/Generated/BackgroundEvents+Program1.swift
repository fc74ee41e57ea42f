// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/BackgroundEvents.swift
import BackgroundTransfer

@MainActor
func runBackgroundEvents1() throws {
  BackgroundEvents.handle { identifier, completionHandler in
    // Make the session `identifier` here, and call the handler once from
    // `urlSessionDidFinishEvents(forBackgroundURLSession:)`.
    completionHandler()
  }
}
