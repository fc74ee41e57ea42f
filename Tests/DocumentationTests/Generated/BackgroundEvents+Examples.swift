// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/BackgroundEvents.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let isInBackground = BackgroundEvents.sessionIdentifier != nil
  _ = isInBackground
}
