// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSessionConfiguration+Service.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  configuration.launchCommand = URLSessionConfiguration.LaunchCommand(
    executable: URL(filePath: "/usr/bin/podcasts"), arguments: ["--background"])
}

private func example2() async throws {
  let command = URLSessionConfiguration.LaunchCommand(
    executable: URL(fileURLWithPath: "/usr/bin/podcasts"), arguments: ["--background"])
  _ = command
}

private func example3() async throws {
  configuration.launch = .noLaunch
}

private func example4() async throws {
  configuration.launch = .ownProgram
}

private func example5() async throws {
  configuration.launchCommand = URLSessionConfiguration.LaunchCommand(
    executable: URL(filePath: "/usr/bin/podcasts"), arguments: ["--background"])
}

private func example6() async throws {
  configuration.service = .embedded(directory: URL(filePath: "/var/lib/app/transfers"))
}

private func example7() async throws {
  configuration.service = .embedded(directory: URL(filePath: "/var/lib/app/transfers"))
}

private func example8() async throws {
  configuration.asksServerTrust = true
}

private func example9() async throws {
  configuration.maximumConnectionsPerTask = 4
}

private func example10() async throws {
  configuration.showsProgressInTerminal = false
}

private func example11() async throws {
  configuration.serviceExecutable = "/opt/kettle/bin/kettle"
}
