// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  session.duplicatePolicy = .coalesce
}
