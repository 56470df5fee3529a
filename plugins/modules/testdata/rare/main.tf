terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = ">= 5.0, < 7.0"
      configuration_aliases = [aws.primary, aws.replica] # both
    }
    acme = {
      source = "registry.example.com/acme/acme"
    }
  }
}

provider "kubernetes" {
  host = var.host
}

variable "host" {
  type       = string
  deprecated = "Use endpoint instead."
}

variable "token" {
  type      = string
  ephemeral = true
}

output "token" {
  value      = var.token
  ephemeral  = true
  deprecated = "Goes away in 2.0."
}

ephemeral "aws_secretsmanager_secret_version" "this" {
  secret_id = "x"
}

resource "aws_db_instance" "this" {
  password_wo         = ephemeral.aws_secretsmanager_secret_version.this.secret_string
  password_wo_version = 1
}

resource "aws_vpc" "replica" {
  provider = aws.replica
}

resource "google_compute_network" "beta" {
  provider = google-beta
}

resource "terraform_data" "x" {
}

data "terraform_remote_state" "y" {
  backend = "local"
}

output "parsed" {
  value = provider::aws::arn_parse(aws_vpc.replica.arn)
}

import {
  to = aws_vpc.replica
  id = "vpc-1"
}

removed {
  from = aws_vpc.old
  lifecycle { destroy = false }
}
