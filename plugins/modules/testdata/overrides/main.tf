terraform {
  required_version = ">= 1.0"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 4.0"
    }
  }
}

variable "size" {
  type        = number
  description = "Original"
}

variable "untouched" {
}

output "id" {
  value = 1
}

module "net" {
  source  = "acme/net/aws"
  version = "1.0.0"
}

resource "aws_vpc" "this" {
}
