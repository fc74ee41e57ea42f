// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/WaitingReason.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  switch task.waitingReason {
  case .mainsPower, .unmeteredNetwork: print("Plug it in, or find another network")
  case .freshLink: print("The link is no longer valid")
  case let reason?: print("It \(reason)")
  case nil: print("It runs, or is over")
  }
}
